import { dies, journey, revoked } from "./journey.js";
import { stage } from "./stage.js";

stage("chromium", "from the page to the service", (Browser) => {
  const { visit, scenario } = journey(Browser);
  scenario("the worker is stopped between send and acknowledgement", () => dies(visit, "stopped", () => visit.browser.endBackground(visit.options)));
  scenario("revoked: says so, keeps what comes, goes on when paired again", () => revoked(visit));
});

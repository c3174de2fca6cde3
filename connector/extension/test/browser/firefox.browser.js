import { dies, journey, revoked } from "./journey.js";
import { SUSPENDED } from "./scenarios.js";
import { stage } from "./stage.js";
import { until } from "./until.js";

stage("firefox", "from the page to the service", (Browser) => {
  const { visit, scenario } = journey(Browser, SUSPENDED);
  // Within the time in which the extension does not hang up by itself.
  scenario("the event page is suspended between send and acknowledgement", () => dies(visit, "suspended",
    (relay) => until("the event page's socket is gone with it", () => relay.talks === 0, 18_000)));
  scenario("revoked: says so, keeps what comes, goes on when paired again", () => revoked(visit));
});

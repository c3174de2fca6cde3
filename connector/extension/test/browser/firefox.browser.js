import { dies, journey, revoked } from "./journey.js";
import { stage } from "./stage.js";
import { until } from "./until.js";

/** Firefox gives an extension 30 s without work; here it is 4, so that the scenarios see it suspended again and again. */
const IDLE = 4000;

stage("firefox", "from the page to the service", (Browser) => {
  const { visit, scenario } = journey(Browser, { prefs: { "extensions.background.idle.timeout": IDLE } });
  // Within the time in which the extension does not hang up by itself.
  scenario("the event page is suspended between send and acknowledgement", () => dies(visit, "suspended",
    (relay) => until("the event page's socket is gone with it", () => relay.talks === 0, 18_000)));
  scenario("revoked: says so, keeps what comes, goes on when paired again", () => revoked(visit));
});

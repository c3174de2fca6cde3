import { it } from "node:test";
import { journey } from "./journey.js";
import { stage } from "./stage.js";

stage("firefox", "from the page to the service", (Browser) => {
  const { visit, dies, revoked } = journey(Browser);
  it("the browser is killed between send and acknowledgement", () => dies(visit, "killed", () => visit.crash()));
  it("revoked: says so, keeps what comes, goes on when paired again", () => revoked(visit));
});

/** The options: pairing, sites, what counts as watched, privacy. */
import { follow } from "./ask.js";
import { part } from "./elements.js";
import { say } from "./fields.js";
import { linkView } from "./link-view.js";
import { pairingView } from "./pairing-view.js";
import { pauseView } from "./pause-view.js";
import { ruleView } from "./rule-view.js";
import { sitesView } from "./sites-view.js";
import { switchView } from "./switch-view.js";
import { text, translate } from "./words.js";

async function open() {
  translate(document);
  const refresh = follow(
    (state) => views.forEach((view) => view(state)),
    () => say(text("backgroundSilent")),
  );
  const views = [
    linkView(refresh),
    pairingView(refresh),
    sitesView(refresh),
    ruleView(refresh),
    switchView(refresh),
    pauseView(refresh),
  ];
  await refresh();
  part("link").setAttribute("data-ready", "");
}

void open();

/** Starts the options page: pairing, sites, thresholds, private mode. */
import { follow, request } from "./ask.js";
import { input, part, say } from "./elements.js";
import { pairingView } from "./pairing-view.js";
import { ruleView } from "./rule-view.js";
import { sitesView } from "./sites-view.js";
import { linkView, pauseView } from "./status-view.js";
import { text, translate } from "./words.js";

/**
 * Handles the switch for private mode, which is saved at once.
 * @param {() => Promise<void>} refresh
 * @returns {(state: import("../messages.js").State) => void}
 */
function privateView(refresh) {
  const box = input("private");
  /** @type {import("../messages.js").Settings} */
  let settings;
  box.addEventListener("change", async () => {
    const trouble = await request({ kind: "settings", settings: { ...settings, private: box.checked } });
    await refresh();
    say(trouble || text("saved"));
  });
  return (state) => {
    settings = state.settings;
    box.checked = settings.private;
  };
}

async function open() {
  translate(document);
  const refresh = follow(
    (state) => views.forEach((view) => view(state)),
    () => say(text("backgroundSilent"), true),
  );
  const views = [
    linkView(refresh),
    pairingView(refresh),
    sitesView(refresh),
    ruleView(refresh),
    privateView(refresh),
    pauseView(refresh),
  ];
  await refresh();
  part("link").setAttribute("data-ready", "");
}

void open();

/** The popup: what plays, what waits, what needs the user. */
import { api } from "./api.js";
import { follow } from "./ask.js";
import { button, part } from "./elements.js";
import { say } from "./fields.js";
import { linkView } from "./link-view.js";
import { needsView } from "./needs-view.js";
import { nowView } from "./now-view.js";
import { pauseView } from "./pause-view.js";
import { waitsView } from "./waits-view.js";
import { text, translate } from "./words.js";

/** How often the page in front is asked how far it is, in milliseconds. */
const BEAT = 1000;

async function open() {
  translate(document);
  const refresh = follow(
    (state) => views.forEach((view) => view(state)),
    () => say(text("backgroundSilent")),
  );
  const now = nowView(refresh);
  const views = [linkView(refresh), pauseView(refresh), needsView(refresh), waitsView(), now.show];
  for (const id of ["to-options", "to-pairing"]) {
    button(id).addEventListener("click", () => void api.runtime.openOptionsPage());
  }
  await refresh();
  await now.look();
  part("link").setAttribute("data-ready", "");
  setInterval(() => void now.look(), BEAT);
}

void open();

/** The popup: what plays, what waits, what needs the user. */
import { api } from "./api.js";
import { follow } from "./ask.js";
import { button, part } from "./elements.js";
import { entryView } from "./entry-view.js";
import { loadDrafts, say } from "./fields.js";
import { linkView } from "./link-view.js";
import { listView } from "./list-view.js";
import { lostView } from "./lost-view.js";
import { needsView } from "./needs-view.js";
import { nowView } from "./now-view.js";
import { pauseView } from "./pause-view.js";
import { recentView } from "./recent-view.js";
import { waitsView } from "./waits-view.js";
import { text, translate } from "./words.js";

/** How often the page in front is asked how far it is, in milliseconds. */
const BEAT = 1000;

async function open() {
  translate(document);
  await loadDrafts();
  const refresh = follow(
    (state) => views.forEach((view) => view(state)),
    () => say(text("backgroundSilent")),
  );
  const entry = entryView(refresh);
  const needs = needsView(refresh);
  const now = nowView({ refresh, needs: needs.focus, wish: entry.open });
  const views = [linkView(refresh), pauseView(refresh), needs.show, lostView(), recentView(refresh), waitsView(), now.show];
  listView(refresh);
  for (const id of ["to-options", "to-pairing"]) {
    button(id).addEventListener("click", () => void api.runtime.openOptionsPage());
  }
  await refresh();
  await now.look();
  part("link").setAttribute("data-ready", "");
  setInterval(() => void now.look(), BEAT);
}

void open();

/** Starts the popup: what plays, what waits, what needs the user. */
import { api } from "../api.js";
import { follow } from "./ask.js";
import { button, part, say } from "./elements.js";
import { needsView, showWaiting } from "./needs-view.js";
import { nowView } from "./now-view.js";
import { linkView, pauseView } from "./status-view.js";
import { text, translate } from "./words.js";

/** Milliseconds between two requests to the active tab for its progress. */
const BEAT = 1000;

async function open() {
  translate(document);
  const refresh = follow(
    (state) => views.forEach((view) => view(state)),
    () => say(text("backgroundSilent"), true),
  );
  const look = nowView(refresh);
  const views = [linkView(refresh), pauseView(refresh), needsView(refresh), showWaiting];
  for (const id of ["to-options", "to-pairing"]) {
    button(id).addEventListener("click", () => void api.runtime.openOptionsPage());
  }
  await refresh();
  await look();
  part("link").setAttribute("data-ready", "");
  setInterval(() => void look(), BEAT);
}

void open();

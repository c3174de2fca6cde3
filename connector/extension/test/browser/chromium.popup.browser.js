import { popups } from "./journey.js";
import { stage } from "./stage.js";

stage("chromium", "in the popup", (Browser) => popups(Browser));

import { popups } from "./popups.js";
import { stage } from "./stage.js";

stage("chromium", "in the popup", (Browser) => popups(Browser));

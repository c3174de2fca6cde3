import { popups } from "./popups.js";
import { SUSPENDED } from "./scenarios.js";
import { stage } from "./stage.js";

stage("firefox", "in the popup", (Browser) => popups(Browser, SUSPENDED));

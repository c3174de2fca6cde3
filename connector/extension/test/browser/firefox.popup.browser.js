import { popups, SUSPENDED } from "./journey.js";
import { stage } from "./stage.js";

stage("firefox", "in the popup", (Browser) => popups(Browser, SUSPENDED));

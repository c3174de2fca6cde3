import { evenings } from "./evening.js";
import { stage } from "./stage.js";

stage("chromium", "every site with a rule", (Browser) => evenings(Browser));

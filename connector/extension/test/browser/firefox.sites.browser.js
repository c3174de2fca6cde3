import { evenings } from "./evening.js";
import { stage } from "./stage.js";

stage("firefox", "every site with a rule", (Browser) => evenings(Browser));

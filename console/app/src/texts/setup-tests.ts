// Tests read the English texts.
import { loadTexts } from "./index";

await loadTexts("en");

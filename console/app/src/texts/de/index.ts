// All texts in German.
import type { Texts } from "../en";
import { keys } from "./keys";
import { learning } from "./learning";
import { lesson } from "./lesson";
import { memories } from "./memories";
import { memory } from "./memory";
import { overview } from "./overview";
import { parts } from "./parts";
import { questions } from "./questions";
import { retrieve } from "./retrieve";
import { review } from "./review";
import { settings } from "./settings";
import { shell } from "./shell";
import { trace } from "./trace";
import { traces } from "./traces";

export const de: Texts = {
  keys,
  learning,
  lesson,
  memories,
  memory,
  overview,
  parts,
  questions,
  retrieve,
  review,
  settings,
  shell,
  trace,
  traces,
};

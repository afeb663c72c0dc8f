import type { Texts } from "../en";

export const keys: Texts["keys"] = {
  conflicts: {
    twice: (key, first, second) => `${key} ist doppelt belegt: ${first} und ${second}`,
    verdict: (key) => `${key} darf kein Urteil auslösen`,
    typing: (key) => `${key} würde beim Tippen ausgelöst`,
    start: (key, sequence) => `${key} ist belegt und zugleich der Anfang von ${sequence}`,
  },
};

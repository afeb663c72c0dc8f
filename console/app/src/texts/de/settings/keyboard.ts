import { number } from "../../../parts/time";
import type { Texts } from "../../en";

export const keyboard: Texts["settings"]["keyboard"] = {
  title: "Tastatur",
  about: "In diesem Browser gespeichert, nur für Sie",
  single: "Einzelne Tasten",
  enableSingle: "Einzelne Buchstaben- und Zifferntasten verwenden",
  enableSingleHint: (palette) =>
    `Schalten Sie dies aus, wenn Sie Spracheingabe verwenden oder Tasten versehentlich drücken. ${palette} zeigt weiterhin alle Aktionen.`,
  custom: "Eigene Tasten",
  customAbout: "Ihre Taste ersetzt auf jeder Seite die Standardtasten einer Aktion.",
  reset: (changed) =>
    changed === 0
      ? "Auf Standardtasten zurücksetzen"
      : `Auf Standardtasten zurücksetzen (${number(changed)} geändert)`,
  everywhere: "Überall",
  noKey: "keine Taste",
  change: "Ändern",
  changeKeyOf: (action) => `Taste ändern: ${action}`,
  default: "Standard",
  defaultKeyOf: (action) => `Standardtaste: ${action}`,
  conflict: (page, problem) => `${page}: ${problem}.`,
  quoted: (label) => `„${label}“`,
};

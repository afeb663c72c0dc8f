import { number } from "../../../parts/time";
import type { Texts } from "../../en";

export const migration: Texts["settings"]["migration"] = {
  states: {
    none: "Derzeit findet kein Wechsel statt.",
    filling: "Die Lektionen werden für das neue Modell vorbereitet. Der Abruf nutzt noch das alte.",
    ready:
      "Alle Lektionen sind für beide Modelle bereit. Vergleichen Sie, und wechseln Sie dann. Der Abruf nutzt noch das alte Modell.",
    switched:
      "Der Abruf nutzt das neue Modell. Sie können jederzeit zurückkehren. Nach sieben Tagen wird der Wechsel automatisch abgeschlossen.",
    rolled_back: "Der Abruf nutzt wieder das alte Modell. Beide werden aktuell gehalten.",
    abandoned: "Der letzte Wechsel wurde abgebrochen.",
    finished: "Der letzte Wechsel ist abgeschlossen.",
  },
  begin: "Wechsel beginnen",
  compare: "Vergleichen",
  switch: "Wechseln",
  goBack: "Zurückkehren",
  cancel: "Wechsel abbrechen",
  finish: "Abschließen",
  space: (model, dimensions, embeds) =>
    `${model} (${number(dimensions)} Dimensionen, verwendeter Text: ${embeds === "task" ? "Aufgabe" : "Lektion"})`,
  threshold: "Mindestähnlichkeit mit dem neuen Modell",
  thresholdHint:
    "Von −1 bis 1. Leer lassen, um die aktuelle beizubehalten. „Vergleichen“ probiert den Wert aus, „Wechseln“ legt ihn fest.",
  thresholdFault: "Geben Sie eine Zahl von −1 bis 1 ein.",
  comparing: "Beide Modelle werden verglichen …",
  beginAbout: (option) => <>Zuerst startet der Betreiber jeden Server mit dem neuen Modell ({option}).</>,
  confirmFinish: "Wechsel abschließen?",
  finishAbout:
    "Das genutzte Modell bleibt, und die Daten des anderen werden entfernt. Danach können Sie nicht mehr zurückkehren.",
};

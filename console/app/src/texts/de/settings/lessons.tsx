import { counted } from "../../../parts/time";
import type { Texts } from "../../en";

export const lessons: Texts["settings"]["lessons"] = {
  title: "Lektionen",
  about: "Wie aus Läufen Lektionen werden",
  changeSettings: "diese Einstellungen ändern",
  newRuns: {
    title: "Neue Läufe",
    about: (actions) => (
      <>
        Was ein neu bewerteter Lauf ändert. Sie können jede automatische Änderung rückgängig machen, auf der
        Seite der Lektion oder in {actions}.
      </>
    ),
    actions: "der Liste der Aktionen",
    grouping: "Läufe mit demselben Rat zu einer Lektion zusammenfassen",
    groupings: {
      automatic: {
        label: "Automatisch",
        hint: "vergleicht Rat, Werkzeuge und Text und fragt im Zweifel ein Sprachmodell",
      },
      structure: {
        label: "Ohne Modell",
        hint: "vergleicht nur Rat, Werkzeuge und Text",
      },
      off: { label: "Aus", hint: "nur Lektionen mit gleichem Text werden zusammengefasst" },
    },
    absorb: "Wiederholte Läufe zusammenzählen",
    absorbHint:
      "Ein Lauf mit demselben Rat für fast dieselbe Aufgabe erhöht die Anzahl, legt aber keine neue Situation an.",
    supersede: "Rat außer Kraft setzen, dem ein neuerer Lauf widerspricht",
    supersedeHint:
      "Nur wenn die Ergebnisse schlechter als erwartet sind. Ist das nicht zu erkennen, stellt Ihnen Reflect eine Frage.",
    inferUse: "Aus dem Lauf ableiten, welche Lektionen er genutzt hat",
    inferUseHint: "Gilt, wenn der Agent es nicht meldet.",
    weight: "Gewichtung von Ähnlichkeit und Nutzwert beim Abruf",
    weights: {
      default: { label: "Fest", hint: "je zur Hälfte Ähnlichkeit und Nutzwert" },
      replay: {
        label: "Gelernt",
        hint: "die Gewichtung, die bei früheren Läufen am besten gewesen wäre; ab 200 Bewertungen",
      },
    },
  },
  older: {
    title: "Ältere Erinnerungen",
    about:
      "Erinnerungen aus früheren Versionen werden im Hintergrund gruppiert. Jede behält ihren Text und ihre Ergebnisse.",
    states: {
      waiting: "Beginnt innerhalb einer Stunde, sofern die Gruppierung nicht ausgeschaltet ist.",
      running: "Läuft.",
      done: "Abgeschlossen.",
      reverted:
        "Zurückgesetzt. Manuell gebildete Gruppen bleiben. Falls das Zurücksetzen unterbrochen wurde, wiederholen Sie es.",
    },
    counts: (groups, situations) =>
      `${counted(groups, "Lektion", "Lektionen")} für ${counted(situations, "Situation", "Situationen")}.`,
    progress: "Gruppierte Erinnerungen",
    groupAgain: "Erneut gruppieren",
    starts: "Die Gruppierung beginnt in Kürze.",
    revert: "Gruppierung zurücksetzen",
    reverted: "Zurückgesetzt. Die Gruppierung ist jetzt aus.",
    confirm: "Gruppierung zurücksetzen?",
    confirmAbout:
      "Alle automatischen Gruppen werden aufgelöst, und die Gruppierung wird ausgeschaltet. Manuelle Änderungen bleiben. Sie können später erneut gruppieren.",
    confirmSubmit: "Zurücksetzen",
  },
};

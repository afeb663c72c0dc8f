import { counted, number } from "../../../parts/time";
import type { Texts } from "../../en";

export const erase: Texts["settings"]["erase"] = {
  title: "Endgültig löschen",
  about:
    "Entfernt Läufe, ihre Nachrichten, die Texte ihrer Bewertungen und die Aufzeichnungen von Abrufen für dieselben Aufgaben. Das lässt sich nicht rückgängig machen. Sie können die Seite währenddessen verlassen.",
  what: "Was gelöscht wird",
  subject: {
    option: "Eine betroffene Person",
    optionHint: "alle Läufe einer Person oder eines Kontos, anhand der Angabe „subject“ in den Metadaten",
    label: "Betroffene Person",
    submit: "Daten der Person löschen",
    confirm: "Alle Daten dieser Person löschen?",
    again: "Geben Sie die Person noch einmal ein",
  },
  run: {
    option: "Ein Lauf",
    label: "Lauf",
    hint: "Die ID von der Seite des Laufs.",
    submit: "Lauf löschen",
    confirm: "Diesen Lauf löschen?",
    again: "Geben Sie die ID des Laufs noch einmal ein",
  },
  lessons: "Lektionen aus diesen Läufen",
  delete: "Auch löschen",
  deleteHint: "ebenso die daraus geschriebenen Skills",
  keep: "Behalten",
  keepHint: "wenn sie keine personenbezogenen Daten enthalten",
  permanently: "Endgültig löschen",
  warning: (name, lessonsToo) => (
    <>
      Alle Daten von {name} werden gelöscht{lessonsToo ? ", ebenso die daraus gelernten Lektionen" : ""}. Das
      lässt sich nicht rückgängig machen.
    </>
  ),
  states: { waiting: "Wartet", running: "Läuft", done: "Fertig" },
  removed: (state, runs, finished) => (
    <>
      {state}: {counted(runs, "Lauf", "Läufe")} entfernt{finished === null ? "" : <> (beendet {finished})</>}.
    </>
  ),
  reference: (id) => <>Referenz: {id}</>,
  rows: "Entfernte Zeilen nach Tabelle",
  rowsOf: (table, count) => `${table}: ${number(count)}`,
  noRowsIn: (tables) => `keine in ${tables}`,
  stays: "Was bleibt und warum",
  copies: "Wo noch Kopien bestehen können",
};

import { atLeast, counted } from "../../../parts/time";
import type { Texts } from "../../en";

export const actions: Texts["settings"]["actions"] = {
  title: "Aktionen",
  newestFirst: (count, more) =>
    `${atLeast(count, more)} ${count === 1 && !more ? "Aktion" : "Aktionen"}, neueste zuerst`,
  undoActions: "Aktionen rückgängig machen",
  automatic: "Auch automatische Änderungen anzeigen",
  automaticHint: (link) => (
    <>
      Änderungen durch den Server, zum Beispiel die Zuordnung eines Laufs zu einer Lektion. Sie können sie
      hier rückgängig machen. Die Gruppierung älterer Erinnerungen setzen Sie in {link} zurück.
    </>
  ),
  lessonSettings: "den Einstellungen der Lektionen",
  none: "Noch keine Aktionen. Hier erscheinen Änderungen an Lektionen und Urteile über mehrere Läufe. Sie können sie in beliebiger Reihenfolge rückgängig machen.",
  line: (what, actor, time) => (
    <>
      {what} von {actor} {time}
    </>
  ),
  changed: (memories, reviews) =>
    `${counted(memories, "Situation", "Situationen")} geändert${reviews === 0 ? "" : `, ${counted(reviews, "Lauf", "Läufe")} bewertet`}`,
  changedAndUndone: (changed, actor, time) => (
    <>
      {changed}; rückgängig gemacht von {actor} {time}
    </>
  ),
  unknown: "unbekannt",
  details: "Details",
  undo: "Rückgängig machen",
  undoNamed: (action) => `Rückgängig machen: ${action}`,
  undone: "Rückgängig gemacht. Andere Änderungen bleiben erhalten.",
  showOlder: "Ältere Aktionen anzeigen",
  kinds: {
    "memory.write": "Lektion geschrieben",
    "memory.edit": "Lektion bearbeitet",
    "memory.merge": "Lektionen zusammengeführt",
    "memory.disable": "Lektion deaktiviert",
    "memory.enable": "Lektion aktiviert",
    "memory.pin": "Lektion angeheftet",
    "memory.unpin": "Lektion losgelöst",
    "memory.quarantine": "Lektion in Quarantäne gestellt",
    "memory.release": "Lektion freigegeben",
    "memory.delete": "Lektion gelöscht",
    "memory.erase": "Lektion endgültig gelöscht",
    "review.bulk": "Ein Urteil für mehrere Läufe",
  },
};

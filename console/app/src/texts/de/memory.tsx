import { counted, number } from "../../parts/time";
import type { Texts } from "../en";

export const memory: Texts["memory"] = {
  title: "Situation",
  doesNotExist: "Diese Situation existiert nicht",
  notLoaded: "Die Situation konnte nicht geladen werden",
  all: "Alle Lektionen",
  try: "Ausprobieren",
  noneToMerge: "Es gibt keine ähnliche Situation zum Zusammenführen.",
  mergedInto: (link) => <>Diese Situation wurde mit {link("einer anderen Situation")} zusammengeführt.</>,
  superseded:
    "Ein neuerer Lauf widerspricht dieser Situation, deshalb wird sie nicht mehr abgerufen. Aktivieren Sie sie, wenn sie richtig ist.",
  openLesson: "Lektion öffnen",
  metadata: "Metadaten",
  noMetadata: "Keine.",

  quarantine: {
    title: "Warum sie in Quarantäne ist",
    flags: "Hinweise",
    hint: "Die Hinweise sind kein Beweis. Sie betreffen auch die Aufgabe.",
    hintEdited:
      "Die Hinweise sind kein Beweis. Sie betreffen auch die Aufgabe. Sie beziehen sich auf die erste Version. Der Text wurde seitdem bearbeitet.",
  },

  history: {
    title: "Verlauf",
    notShown: (count) =>
      `${counted(count, "frühere Änderung wird", "frühere Änderungen werden")} nicht angezeigt.`,
    caption: "Alle Änderungen, neueste zuerst",
    columns: {
      when: "Wann",
      change: "Änderung",
      by: "Von",
      qValue: "Letzter Durchschnitt",
      credit: "Beitrag",
      run: "Lauf",
    },
    showLast: (count) => `Die letzten ${number(count)} anzeigen`,
    showAll: (count) => `Alle ${number(count)} Änderungen anzeigen`,
    openRun: (at) => (
      <>
        öffnen<span className="sr-only">: Lauf vom {at}</span>
      </>
    ),
    point: (what, before, after) => `${what}: ${before} auf ${after}`,
    legend: {
      qValue: "Letzter Durchschnitt",
      credit: "Beitrag",
      pass: "bestanden",
      fail: "nicht bestanden",
      withdrawn: "zurückgezogen",
      edit: "Bearbeitung",
    },
    results: { pass: "bestanden", fail: "nicht bestanden" },
    used: "genutzt",
    notUsed: "nicht genutzt",
    usedBy: {
      model: (use) => `${use} (laut einem Modell)`,
      text: (use) => `${use} (aus Texten erschlossen)`,
    },
    withdrawn: "zurückgezogen",
    unknown: "unbekannt",
    evidenceHalved: "Belege halbiert",
    valuesCombined: "Werte zusammengefasst",
    version: (version) => `Version ${version}`,
    undone: "rückgängig gemacht",
    edits: {
      "memory.disable": "deaktiviert",
      "memory.enable": "aktiviert",
      "memory.pin": "angeheftet",
      "memory.unpin": "losgelöst",
      "memory.quarantine": "in Quarantäne gestellt",
      "memory.release": "freigegeben",
      "memory.corroborate": "freigegeben, weil andere Quellen sie bestätigt haben",
      "memory.edit": "bearbeitet",
      "memory.merge": "zusammengeführt",
      "memory.delete": "gelöscht",
      "memory.erase": "endgültig gelöscht",
      "lesson.join": "einer Lektion zugeordnet",
      "lesson.supersede": "durch einen neueren Lauf überholt",
      "lesson.group": "gruppiert",
      "lesson.split": "von ihrer Lektion abgetrennt",
      "lesson.move": "zu einer anderen Lektion verschoben",
      "lesson.answer": "durch die Antwort auf eine Frage geändert",
      "lesson.migrate": "mit älteren Situationen gruppiert",
    },
    unchanged: "Keine Bewertung hat sie geändert.",
    noReviews: "Keine Bewertungen",
    reviews: (count, passed) => `${counted(count, "Bewertung", "Bewertungen")}, ${number(passed)} bestanden`,
    notCounted: (withdrawn) => `${number(withdrawn)} zurückgezogen und nicht gezählt`,
    otherChanges: (count) => counted(count, "andere Änderung", "andere Änderungen"),
  },

  uses: {
    title: "Läufe, die sie genutzt haben",
    lastUsed: (day) => `zuletzt genutzt ${day}`,
    none: "Noch kein bewerteter Lauf hat sie genutzt.",
    columns: {
      when: "Wann",
      task: "Aufgabe",
      result: "Ergebnis",
      used: "Genutzt",
      rank: "Rang",
      similarity: "Ähnlichkeit",
      qValue: "Letzter Durchschnitt",
    },
    runGone: "der Lauf ist nicht mehr gespeichert",
    yes: "ja",
    no: "nein",
    unknown: "unbekannt",
    all: "Alle Läufe, die sie genutzt haben, bewertet oder nicht",
    earlier: "Frühere Läufe anzeigen",
  },

  similar: {
    title: "Ähnliche Situationen",
    about: "nach Aufgabe",
    none: "Keine ähnliche Situation, oder diese Situation hat keinen Vektor.",
    similarity: "Ähnlichkeit",
    similar: (similarity) => (
      <>
        {similarity}
        <span className="sr-only"> Ähnlichkeit</span>
      </>
    ),
    merge: (task) => (
      <>
        Zusammenführen<span className="sr-only"> mit {task}</span>
      </>
    ),
  },

  provenance: {
    title: "Quelle",
    text: "Text",
    note: "Notiz",
    run: "Lauf",
    noRun: "keiner oder nicht mehr gespeichert",
    openRun: "Lauf öffnen",
    review: "Bewertung",
    reviewed: {
      pass: (reviewer) => `bestanden laut ${reviewer}`,
      fail: (reviewer) => `nicht bestanden laut ${reviewer}`,
    },
    ended: "zählt nicht mehr",
    feedback: "Rückmeldung",
    model: "Modell",
    imported: "Importiert aus",
    noModel: "keins",
    promptVersion: (version) => `Prompt-Version ${version}`,
    key: "API-Schlüssel",
    noKey: "keiner",
    otherKey: "kein API-Schlüssel dieses Projekts",
    releasedBy: "Freigegeben von",
    notReleased: "noch nicht freigegeben",
    noReleaseNeeded: "nicht nötig",
    created: "Erstellt",
    id: "ID",
  },

  versions: {
    title: "Versionen",
    counted: (count) => `Versionen (${number(count)})`,
    first: "Dies ist die erste Version. Der Text wurde nie bearbeitet.",
    version: (version) => `Version ${version}`,
    current: (version) => `Version ${version}, aktuell`,
    original: "Original",
  },

  removal: {
    title: "Entfernen",
    delete: { label: "Löschen", about: "Der Text bleibt erhalten. Kann rückgängig gemacht werden." },
    erase: {
      label: "Endgültig löschen",
      about: "Entfernt alle Texte. Kann nicht rückgängig gemacht werden.",
    },
    source: {
      label: "Alles aus dieser Quelle entfernen",
      about: "Alle Situationen ihres API-Schlüssels oder Laufs. Kann rückgängig gemacht werden.",
    },
  },

  erase: {
    label: "Situation endgültig löschen",
    title: "Situation endgültig löschen",
    about: (
      <>
        Entfernt alle ihre Texte, Versionen und Vektoren. Ihre Zahlen bleiben erhalten.{" "}
        <strong>Das kann nicht rückgängig gemacht werden.</strong> Wenn Sie das Entfernen rückgängig machen
        können möchten, deaktivieren oder löschen Sie sie.
      </>
    ),
    type: (id) => <>Geben Sie zum Fortfahren ihre ID ein: {id}</>,
    submit: "Endgültig löschen",
  },

  keys: {
    groups: { edit: "Bearbeiten", memory: "Situation" },
    edit: "Text bearbeiten",
    disable: "Deaktivieren oder aktivieren",
    pin: "Anheften oder loslösen",
    quarantine: "In Quarantäne stellen oder freigeben",
    merge: "Mit der ähnlichsten zusammenführen",
    undo: "Letzte Änderung rückgängig machen",
    delete: "Situation löschen",
    erase: "Situation endgültig löschen",
    retire: "Alles aus ihrer Quelle entfernen",
    try: "Abruf testen",
    list: "Zurück zur Liste",
  },
};

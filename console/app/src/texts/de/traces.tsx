import { atLeast, counted, number } from "../../parts/time";
import type { Texts } from "../en";

export const traces: Texts["traces"] = {
  title: "Läufe",
  stored: (count, more) => `${atLeast(count, more)} gespeichert`,
  matches: (count, more) => `${more ? "bisher " : ""}${number(count)} Treffer`,
  newRuns: (count) => `${number(count)} neu`,
  selected: (count) => `${number(count)} ausgewählt`,
  reviewSelected: "Bewerten",
  clearSelection: "Auswahl aufheben",

  filter: {
    label: "Läufe filtern",
    hint: "Zum Beispiel status:pending error:true since:7d refund  (/)",
    invalid: "Der Filter ist ungültig",
    noMatch: "Kein Lauf entspricht dem Filter",
    clear: "Filter löschen",
    searchedBackTo: (time) => <>Durchsucht zurück bis: {time}.</>,
    searchFurther: "Weiter suchen",
    searchFurtherBack: "Ältere Läufe durchsuchen",
  },
  quickFilters: {
    label: "Häufige Filter",
    names: {
      notReviewed: "Nicht bewertet",
      passed: "Bestanden",
      failed: "Nicht bestanden",
      withErrors: "Mit Fehlern",
      learningFailed: "Lernen fehlgeschlagen",
    },
  },
  loadFailed: "Die Läufe konnten nicht geladen werden",

  first: {
    title: "Noch keine Läufe gespeichert",
    about: (createKey) => (
      <>
        Führen Sie dieses Programm mit einem API-Schlüssel des Projekts aus. Der Lauf erscheint hier, sobald
        er eintrifft. {createKey}. Dort sehen Sie auch die nächsten Schritte.
      </>
    ),
    createKey: "API-Schlüssel auf der Übersichtsseite erstellen",
  },

  columns: {
    stored: "Gespeichert",
    task: "Aufgabe",
    outcome: "Ergebnis",
    learning: "Lernen",
    messages: "Nachrichten",
    errors: "Fehler",
    memories: "Erinnerungen",
    model: "Modell",
    latency: "Dauer",
    tokens: "Tokens",
  },
  noTask: "(keine Aufgabe)",
  errors: (count) => counted(count, "Fehler", "Fehler"),
  learning: {
    queued: "wartet",
    processing: "läuft",
    failed: "fehlgeschlagen",
    completed: "erledigt",
    memoryCreated: "neue Erinnerung",
  },

  preview: {
    label: "Lauf",
    task: "Aufgabe",
    answer: "Endgültige Antwort",
    noAnswer: "Der Lauf endete ohne Antwort.",
    memories: (count) => `${counted(count, "Erinnerung", "Erinnerungen")} verwendet`,
    feedback: "Rückmeldung",
  },

  keyGroups: { list: "Liste", bulk: "Sammelaktionen" },
  keys: {
    next: "Nächster Lauf",
    previous: "Vorheriger Lauf",
    peek: "Vorschau des Laufs",
    open: "Lauf öffnen",
    cancel: "Vorschau schließen oder Filter verlassen",
    filter: "Filtern",
    refresh: "Neue Einträge anzeigen",
    select: "Lauf auswählen",
    extendDown: "Auswahl nach unten erweitern",
    extendUp: "Auswahl nach oben erweitern",
    bulk: "Ein Urteil für die Auswahl",
  },
};

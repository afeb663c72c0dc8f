import { counted, number } from "../../parts/time";
import type { Texts } from "../en";

export const trace: Texts["trace"] = {
  title: "Lauf",
  allTraces: "Alle Läufe",

  replay: {
    title: "Ablauf",
    view: "Ansicht",
    views: { conversation: "Unterhaltung", steps: "Schritte", raw: "Rohdaten" },
    position: (step, total, failed) =>
      `Schritt ${number(step)} von ${number(total)}, ${number(failed)} fehlgeschlagen`,
    play: "Abspielen",
    stop: "Anhalten",
    noMessages: "Dieser Lauf hat keine Nachrichten.",
  },

  find: {
    label: "Im Ablauf suchen",
    hint: "Suchen (/)",
    searching: "sucht …",
    found: (count) => `${number(count)} gefunden`,
  },

  kinds: {
    system: "System",
    user: "Nutzer",
    assistant: "Assistent",
    reasoning: "Überlegung",
    tool_call: "Tool-Aufruf",
    tool_result: "Tool-Ergebnis",
    error: "Fehler",
    memory: "Erinnerungen",
    note: "Notiz",
  },

  step: {
    label: "Schritt",
    title: (step) => `Schritt ${number(step)}`,
    titleOfKind: (step, kind) => `Schritt ${number(step)}, ${kind}`,
    position: (step, total, kind, failed) =>
      `Schritt ${number(step)} von ${number(total)}${kind === null ? "" : `, ${kind}`}${failed ? ", fehlgeschlagen" : ""}`,
    failed: "fehlgeschlagen",
    result: (failed, step, time) => (
      <>
        Ergebnis{failed === null ? null : <> {failed}</>}, Schritt {number(step)}
        {time === null ? "" : `, ${time}`}
      </>
    ),
    tokens: (count) => counted(count, "Token", "Tokens"),
    show: "Text anzeigen",
    collapse: "Einklappen",
    memoriesAdded: (count) =>
      count === 0
        ? "In den Prompt wurden Erinnerungen eingefügt"
        : `${counted(count, "Erinnerung wurde", "Erinnerungen wurden")} in den Prompt eingefügt`,
  },

  part: {
    labels: { arguments: "Argumente", other: "Weiteres" },
    json: "JSON",
    picture: "Teil des Laufs",
    media: (type, size) => `${type ?? "Medien"}, ${size}, nicht angezeigt`,
    hidden: (left, size) => `${left} von ${size} sind hier ausgeblendet`,
    following: (left, size) => `${left} von ${size} folgen`,
    showNext: (size) => `Die nächsten ${size} anzeigen`,
    showAll: "Alles anzeigen",
    moreLines: (count) => counted(count, "weitere Zeile", "weitere Zeilen"),
    table: "Tabelle eines Tool-Ergebnisses",
    firstRows: (rows) => `Nur die ersten ${number(rows)} Zeilen werden angezeigt.`,
  },

  raw: {
    label: "Rohdaten des Laufs",
    whole: (size) => `${size} JSON`,
    cut: (size) => `Mehr als ${size}: Nur der Anfang wird angezeigt`,
    download: "Herunterladen",
  },

  sidebar: {
    title: "Über diesen Lauf",
    outcome: "Ergebnis",
    learningFailed: "Das Lernen ist fehlgeschlagen.",
    signals: "Signale",
    memories: (count) => `Verwendete Erinnerungen (${number(count)})`,
    noMemories: "Keine erfasst.",
    links: {
      receipt: "Zugeordnet, weil der Client den Beleg seines Abrufs gesendet hat.",
      ids: "Zugeordnet, weil der Client ihre IDs gesendet hat.",
      trajectory: "Zugeordnet, weil die Nachrichten sie enthalten.",
      inferred: "Aus dem letzten Abruf zu dieser Aufgabe abgeleitet.",
    },
    created: "Neue Erinnerung",
    run: "Lauf",
    stored: "Gespeichert",
    model: "Modell",
    notRecorded: "nicht erfasst",
    learning: "Lernen",
    afterReview: "nach der Bewertung",
    learningStates: {
      queued: "in der Warteschlange",
      processing: "läuft",
      completed: "abgeschlossen",
      failed: "fehlgeschlagen",
    },
    experiment: "Vergleich",
    arms: { with: "mit Erinnerungen", without: "ohne Erinnerungen" },
    key: (name) => `Schlüssel ${name}`,
    id: "ID",
    metadata: "Metadaten",
    noMetadata: "Keine.",
  },

  signals: {
    none: "Keine gemeldet.",
    withheld: (count) =>
      `${counted(count, "Signal wird", "Signale werden")} zurückgehalten, bis ein Mensch diesen Lauf bewertet hat. Daran wird gemessen, wie oft die Quellen mit Menschen übereinstimmen.`,
    score: (score) => `Punktzahl ${score}`,
    vote: "mit Feedback-Token",
    found: (name, value) => `über ${name} ${value}`,
    more: "Mehr dazu",
    meanings: {
      review: "Wurde zur Bewertung dieses Laufs.",
      next: "Wird zur Bewertung dieses Laufs.",
      matches: "Stimmt mit der Bewertung dieses Laufs überein.",
      confirmed: "Stimmt mit der Bewertung eines Menschen überein.",
      overruled: "Von einem Menschen überstimmt.",
      agrees: "Stimmt mit dem entscheidenden Signal überein.",
      superseded: "Von einem späteren Signal dieser Quelle ersetzt.",
      outweighed: "Überstimmt von einem Signal, das später ist oder höheren Vorrang hat.",
      unclear: "Kein Ergebnis: Die Punktzahl liegt zwischen bestanden und nicht bestanden.",
      not_counted: "Zählt in diesem Projekt nicht.",
      stopped: "Zählt nicht: Diese Quelle stimmt zu selten mit Menschen überein.",
    },
    waits: (time) => <>Zählt {time}, wenn bis dahin kein anderes Signal widerspricht.</>,
  },

  review: {
    feedback: "Rückmeldung",
    feedbackHint: "Was war richtig oder falsch?",
    pass: "Bestanden",
    fail: "Nicht bestanden",
    withdraw: "Diese Bewertung zurückziehen",
    retry: "Lernen wiederholen",
  },

  keyGroups: { steps: "Schritte", view: "Ansicht" },
  keys: {
    stepBack: "Schritt zurück",
    stepOn: "Schritt vor",
    firstStep: "Erster Schritt",
    lastStep: "Letzter Schritt",
    nextError: "Nächster Fehler",
    play: "Abspielen, ein Schritt pro Sekunde",
    find: "Im Ablauf suchen",
    conversation: "Als Unterhaltung anzeigen",
    steps: "Als Schritte anzeigen",
    raw: "Rohdaten anzeigen",
    cancel: "Zurück zur Liste",
  },
};

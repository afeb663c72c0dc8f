import { counted, number } from "../../parts/time";
import type { Texts } from "../en";

export const retrieve: Texts["retrieve"] = {
  task: "Aufgabe",
  taskPlaceholder: "Die Aufgabe des Agenten  (/)",
  send: "Abrufen",
  keys: {
    query: "Abruf",
    result: "Ergebnis",
    editTask: "Aufgabe bearbeiten",
    send: "Abruf starten",
    leaveTask: "Aufgabenfeld verlassen",
    copyText: "Prompt-Text kopieren",
    copyCode: "Abruf als Python-Code kopieren",
  },
  examples: {
    title: "Was würde ein Agent erhalten?",
    about:
      "Geben Sie eine Aufgabe ein. Sie sehen, welche Erinnerungen abgerufen und welche aus welchem Grund ausgeschlossen werden, sowie den Text für den Prompt.",
    none: "Es ist noch kein Lauf gespeichert, daher gibt es keine Beispielaufgaben.",
    newest: "Aufgaben der neuesten Läufe",
  },
  ranking: {
    title: "Rangfolge",
    weight: { label: "Gewicht des Nutzwerts", about: "0: nur Ähnlichkeit, 1: nur Nutzwert" },
    limit: { label: "Limit", about: "höchste Anzahl der Erinnerungen" },
    least: { label: "Schwelle", about: "kleinste Ähnlichkeit" },
    variety: { label: "Vielfalt", about: "1: nur Punktzahl; kleiner: vielfältigere Erinnerungen" },
    room: { label: "Tokens", about: "höchster Umfang aller Erinnerungen" },
  },
  receipt: {
    summary: (of) =>
      [
        `${number(of.considered)} geprüft`,
        `Embedding ${number(of.embedMs)} ms, Suche ${number(of.searchMs)} ms`,
        `Rangfolge ${of.ranking ?? "nicht aufgezeichnet"}`,
        ...(of.weight === null ? [] : [of.weight]),
      ].join("; "),
    weight: {
      request: (weight) => `Gewicht des Nutzwerts ${weight} (hier festgelegt)`,
      replay: (weight) =>
        `Gewicht des Nutzwerts ${weight} (aus den Ergebnissen früherer Bewertungen gewählt)`,
      default: (weight) => `Gewicht des Nutzwerts ${weight} (Standardwert)`,
    },
  },
  notices: {
    degraded:
      "Mit der Stichwortsuche gefunden, weil kein Vektor verfügbar war. Die Ähnlichkeit ist dann die Übereinstimmung der Stichwörter, und es gilt keine Schwelle.",
    nothingStored: "Es gibt keine Erinnerungen, die durchsucht werden können.",
    onlyPinned: "Es wurden nur angeheftete Erinnerungen abgerufen.",
    belowThreshold: (of) => (
      <>
        Nichts liegt über der Schwelle{of.threshold === null ? "" : ` von ${of.threshold}`}. Am nächsten kam{" "}
        {of.closest}. {of.action}
      </>
    ),
    lowerThreshold: (threshold) => `Schwelle auf ${threshold} senken`,
  },
  candidates: {
    servedHeading: (count) => `Abgerufen (${number(count)})`,
    served: "Abgerufen",
    excludedHeading: (count) => `Geprüft und ausgeschlossen (${number(count)})`,
    excluded: "Ausgeschlossen",
    showFirst: (count) => `Die ersten ${number(count)} anzeigen`,
    showAll: (count) => `Alle ${number(count)} anzeigen`,
    rank: "Rang",
    loading: "Wird geladen …",
    pinned: "angeheftet",
    numbers: (of) =>
      [
        `Ähnlichkeit ${of.similarity}`,
        of.score === null ? "ohne Rang" : `Punktzahl ${of.score}`,
        ...(of.note === "" ? [] : [of.note]),
      ].join("; "),
    support: (situations, of) => `steht für ${number(situations)} der ${number(of)} ähnlichsten Situationen`,
  },
  reasons: {
    dissimilar: (threshold) =>
      threshold === null ? "unter der Schwelle" : `Ähnlichkeit liegt unter ${threshold}`,
    outranked: (limit) =>
      limit === null
        ? "niedrigerer Rang; das Limit ist erreicht"
        : `niedrigerer Rang; das Limit ist ${number(limit)}`,
    alike: "einer abgerufenen Erinnerung zu ähnlich",
    heldout: "zufällig zurückgehalten",
    noroom: (tokens) => `passt nicht: höchstens 5 Situationen, ${counted(tokens, "Token", "Tokens")}`,
    samelesson: "ihre Lektion wurde abgerufen, auch für diese Situation",
    repeated: "niedrigerer Rang, und ihre Lektion wurde abgerufen",
    bounded: "der Anteil für nicht vertrauenswürdige Quellen ist ausgeschöpft",
    served: "abgerufen",
    notRecorded: "nicht aufgezeichnet",
  },
  prompt: {
    label: "Prompt-Text",
    title: "Text für den Prompt",
    tokens: (tokens) => `etwa ${counted(tokens, "Token", "Tokens")}, vier Zeichen je Token`,
    python: "Derselbe Abruf in Python",
    copiedText: "Prompt-Text kopiert.",
    copiedCode: "Python-Code kopiert.",
  },
};

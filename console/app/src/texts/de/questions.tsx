import type { Texts } from "../en";

type Side = "first" | "second";

const sides: Texts["questions"]["sides"] = { first: "Erste", second: "Zweite" };
const inBrackets = (side: Side) => <span className="sr-only"> ({sides[side].toLowerCase()})</span>;

export const questions: Texts["questions"] = {
  title: "Fragen",
  open: (count) => `${count} offen`,
  previous: "Vorherige",
  next: "Nächste",
  place: (place, count) => `${place} von ${count}`,
  question: "Frage",
  ask: (similarity) =>
    `Diese beiden Lektionen raten Unterschiedliches für fast dieselbe Aufgabe (Ähnlichkeit ${similarity}). Welche ist richtig?`,
  about:
    "Ist eine richtig, wird die andere für ihre Aufgabe nicht mehr abgerufen. Sind beide richtig, bleiben beide. Sind sie gleich, werden sie eine Lektion. Jede Antwort kann rückgängig gemacht werden.",
  permission: "Fragen beantworten",
  answers: {
    first: { label: "Die erste ist richtig", done: "Beantwortet. Die zweite wird nicht mehr abgerufen." },
    second: { label: "Die zweite ist richtig", done: "Beantwortet. Die erste wird nicht mehr abgerufen." },
    both: { label: "Beide sind richtig", done: "Beantwortet. Beide bleiben." },
    same: { label: "Sie sind gleich", done: "Beantwortet. Sie sind jetzt eine Lektion." },
  },
  empty: {
    title: "Keine offenen Fragen",
    about:
      "Manchmal raten zwei Lektionen Unterschiedliches für fast dieselbe Aufgabe, und die Ergebnisse ihrer Läufe zeigen nicht, welche richtig ist. Dann werden Sie hier gefragt.",
    lessons: "Alle Lektionen",
  },
  sides,
  openLesson: (side) => <>Lektion öffnen{inBrackets(side)}</>,
  task: "Aufgabe",
  noRun: "Nicht aus einem Lauf gelernt.",
  run: "Lauf",
  openRun: (side) => <>Lauf öffnen{inBrackets(side)}</>,
  answerOfRun: "Antwort des Laufs",
  keys: {
    groups: { answer: "Antwort", list: "Liste" },
    first: "Die erste Lektion ist richtig",
    second: "Die zweite Lektion ist richtig",
    both: "Beide sind richtig",
    same: "Sie sind dieselbe Lektion",
    undo: "Letzte Änderung rückgängig machen",
    next: "Nächste Frage",
    previous: "Vorherige Frage",
  },
};

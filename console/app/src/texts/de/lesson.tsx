import { counted, number } from "../../parts/time";
import type { Texts } from "../en";

const joinReasons: Readonly<Record<string, string>> = {
  text: "Der Text ist gleich",
  structure: "Der Rat ist gleich",
  approach: "Die Werkzeuge sind gleich",
  model: "Ein Modell hat denselben Rat erkannt",
  use: "Der Lauf ist ihrem Rat gefolgt",
};

const withReason = (text: string, by: string) => {
  const reason = joinReasons[by];
  return reason === undefined ? `${text}.` : `${text}: ${reason}.`;
};

export const lesson: Texts["lesson"] = {
  title: "Lektion",
  notLoaded: "Die Lektion konnte nicht geladen werden",
  all: "Alle Lektionen",
  value: "Wert",
  cancel: "Abbrechen",
  permission: "Lektionen ändern",
  edit: "Bearbeiten",
  situationCount: (count) => counted(count, "Situation", "Situationen"),

  done: {
    split: (count) => `${counted(count, "Situation", "Situationen")} abgetrennt.`,
    group: "Mit der anderen Lektion gruppiert.",
    move: "Situation verschoben.",
  },
  notEditable: "Keine Situation dieser Lektion kann bearbeitet werden.",
  selectToSplit: "Wählen Sie die Situationen zum Abtrennen aus.",
  selectToMove: "Wählen Sie eine Situation zum Verschieben aus.",

  missing: {
    moved: "Diese Lektion gibt es nicht mehr. Ihre Situationen gehören jetzt zu der angezeigten Lektion.",
    title: "Diese Lektion gibt es nicht mehr",
    about:
      "Sie wurde entfernt, oder ihre Situationen gehören jetzt zu einer anderen Lektion. Suchen Sie sie in der Liste.",
  },

  pick: {
    search: "Wörter aus der Lektion oder aus einer Aufgabe",
    lesson: "Lektion",
    none: "Keine andere Lektion passt.",
  },
  group: {
    title: "Mit einer anderen Lektion gruppieren",
    about:
      "Wählen Sie eine Lektion, die dasselbe rät. Ihre Situationen haben dann den Text dieser Lektion, und jede behält ihren Beitrag. Das kann rückgängig gemacht werden.",
    action: "Gruppieren",
  },
  move: {
    title: "Situation verschieben",
    about:
      "Wählen Sie die Lektion, zu der sie gehört. Die Situation behält ihren Beitrag. Das kann rückgängig gemacht werden.",
    action: "Verschieben",
  },

  about: {
    title: "Über diese Lektion",
    situations: "Situationen",
    situationsText: (active, superseded, merged) =>
      [
        `${number(active)} in Gebrauch`,
        superseded > 0 ? `${number(superseded)} überholt` : "",
        merged > 0 ? `${number(merged)} zusammengeführt` : "",
      ]
        .filter((part) => part !== "")
        .join(", "),
    learnedFrom: "Gelernt aus",
    runs: (count, passed) => `${counted(count, "Lauf", "Läufen")}, ${number(passed)} bestanden`,
    lastUsed: "Zuletzt genutzt",
    never: "nie",
    version: "Version",
    created: "Erstellt",
    id: "ID",
  },

  situations: {
    title: "Situationen",
    about: "die Aufgaben, aus denen diese Lektion gelernt wurde, neueste zuerst; jede hat ihren eigenen Wert",
    split: "Abtrennen",
    move: "Verschieben",
    select: "Wählen Sie Situationen aus, die zu einer anderen Lektion gehören.",
    selected: (count) => `${number(count)} ausgewählt`,
    columns: { selected: "Ausgewählt", task: "Aufgabe", value: "Wert", run: "Lauf", age: "Alter" },
    merged:
      "Eine zusammengeführte Situation kann nicht ausgewählt werden: Sie folgt der Situation, in der sie aufgegangen ist.",
    all: "Alle Situationen dieser Lektion, mit weiteren Aktionen",
    noTask: "(keine Aufgabe)",
    noRun: "keiner",
    openRun: (task) => (
      <>
        öffnen<span className="sr-only">: Lauf zu {task}</span>
      </>
    ),
  },

  changes: {
    title: "Änderungen der Gruppierung",
    about: "von Menschen und vom Server, unter den letzten 100 Aktionen des Projekts",
    none: "Keine.",
    openRun: "Lauf öffnen",
    automatic: "automatisch",
    made: (actor, at) => (
      <>
        {actor}, {at}
      </>
    ),
    madeAndUndone: (actor, at) => (
      <>
        {actor}, {at}, rückgängig gemacht
      </>
    ),
    undo: "Rückgängig machen",
    undone: "Rückgängig gemacht. Andere Änderungen bleiben erhalten.",
    joined: (by) => withReason("Ein Lauf wurde dieser Lektion zugeordnet", by),
    absorbed: (by) =>
      withReason("Ein Lauf mit fast derselben Aufgabe wurde bei einer vorhandenen Situation mitgezählt", by),
    kinds: {
      "lesson.supersede": "Eine Situation ist überholt: Ein neuerer Lauf widerspricht ihr.",
      "lesson.group": "Lektionen wurden gruppiert.",
      "lesson.split": "Situationen wurden abgetrennt.",
      "lesson.move": "Eine Situation wurde verschoben.",
      "lesson.answer": "Eine Frage wurde beantwortet.",
      "lesson.migrate": "Ältere Situationen wurden gruppiert.",
    },
  },

  keys: {
    groups: { edit: "Bearbeiten", lesson: "Lektion" },
    edit: "Text bearbeiten",
    group: "Mit einer anderen Lektion gruppieren",
    split: "Ausgewählte Situationen abtrennen",
    move: "Ausgewählte Situation verschieben",
    undo: "Letzte Änderung rückgängig machen",
    list: "Zurück zur Liste",
  },
};

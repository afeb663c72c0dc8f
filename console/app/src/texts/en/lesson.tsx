import type { ReactNode } from "react";
import { counted, number } from "../../parts/time";

const joinReasons: Readonly<Record<string, string>> = {
  text: "the text is the same",
  structure: "the advice is the same",
  approach: "the tools are the same",
  model: "a model found the same advice",
  use: "the run followed its advice",
};

const withReason = (text: string, by: string) => {
  const reason = joinReasons[by];
  return reason === undefined ? `${text}.` : `${text}: ${reason}.`;
};

export const lesson = {
  title: "Lesson",
  notLoaded: "The lesson could not be loaded",
  all: "All lessons",
  value: "Value",
  cancel: "Cancel",
  permission: "change lessons",
  edit: "Edit",
  situationCount: (count: number) => counted(count, "situation", "situations"),

  done: {
    split: (count: number) => `Split ${counted(count, "situation", "situations")} off.`,
    group: "Grouped with the other lesson.",
    move: "Moved the situation.",
  },
  notEditable: "No situation of this lesson can be edited.",
  selectToSplit: "Select the situations to split off.",
  selectToMove: "Select one situation to move.",

  missing: {
    moved: "That lesson no longer exists. Its situations are part of this lesson now.",
    title: "This lesson no longer exists",
    about: "It was removed, or its situations are part of another lesson now. Find it in the list.",
  },

  pick: {
    search: "Words of the lesson or of a task",
    lesson: "Lesson",
    none: "No other lesson matches.",
  },
  group: {
    title: "Group with another lesson",
    about:
      "Choose a lesson that gives the same advice. Its situations then have the text of this lesson, and each keeps its credit. This can be undone.",
    action: "Group",
  },
  move: {
    title: "Move the situation",
    about: "Choose the lesson that it belongs to. The situation keeps its credit. This can be undone.",
    action: "Move",
  },

  about: {
    title: "About",
    situations: "Situations",
    situationsText: (active: number, superseded: number, merged: number) =>
      [
        `${number(active)} in use`,
        superseded > 0 ? `${number(superseded)} superseded` : "",
        merged > 0 ? `${number(merged)} merged` : "",
      ]
        .filter((part) => part !== "")
        .join(", "),
    learnedFrom: "Learned from",
    runs: (count: number, passed: number) => `${counted(count, "run", "runs")}, ${number(passed)} passed`,
    lastUsed: "Last used",
    never: "never",
    version: "Version",
    created: "Created",
    id: "Id",
  },

  situations: {
    title: "Situations",
    about: "the tasks that this lesson was learned from, newest first; each has its own value",
    split: "Split off",
    move: "Move",
    select: "Select situations that belong to another lesson.",
    selected: (count: number) => `${number(count)} selected`,
    columns: { selected: "Selected", task: "Task", value: "Value", run: "Run", age: "Age" },
    merged: "A merged situation cannot be selected: it follows the memory that it was merged into.",
    all: "All situations of this lesson, with more actions",
    noTask: "(no task)",
    noRun: "none",
    openRun: (task: string) => (
      <>
        open<span className="sr-only"> the run of {task}</span>
      </>
    ),
  },

  changes: {
    title: "Changes of the grouping",
    about: "by people and by the server, among the last 100 actions of the project",
    none: "None.",
    openRun: "Open the run",
    automatic: "automatic",
    made: (actor: string, at: ReactNode) => (
      <>
        {actor}, {at}
      </>
    ),
    madeAndUndone: (actor: string, at: ReactNode) => (
      <>
        {actor}, {at}, undone
      </>
    ),
    undo: "Undo",
    undone: "Undone. Other changes are kept.",
    joined: (by: string) => withReason("A run joined this lesson", by),
    absorbed: (by: string) =>
      withReason("A run with nearly the same task was counted with an existing situation", by),
    /** By the kind of the action. A newer server may send others. */
    kinds: {
      "lesson.supersede": "A situation was superseded: a newer run contradicts it.",
      "lesson.group": "Lessons were grouped.",
      "lesson.split": "Situations were split off.",
      "lesson.move": "A situation was moved.",
      "lesson.answer": "A question was answered.",
      "lesson.migrate": "Older memories were grouped.",
    } as Readonly<Record<string, string>>,
  },

  keys: {
    groups: { edit: "Edit", lesson: "Lesson" },
    edit: "Edit the text",
    group: "Group with another lesson",
    split: "Split the selected situations off",
    move: "Move the selected situation",
    undo: "Undo the last change",
    list: "Back to the list",
  },
};

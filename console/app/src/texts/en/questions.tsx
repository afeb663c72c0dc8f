import type { QuestionAnswer } from "../../api/lessons";

type Side = "first" | "second";

const sides: Readonly<Record<Side, string>> = { first: "First", second: "Second" };
const inBrackets = (side: Side) => <span className="sr-only"> ({sides[side].toLowerCase()})</span>;

export const questions = {
  title: "Questions",
  open: (count: string) => `${count} open`,
  previous: "Previous",
  next: "Next",
  place: (place: number, count: string) => `${place} of ${count}`,
  question: "Question",
  ask: (similarity: string) =>
    `These two lessons give different advice for nearly the same task (similarity ${similarity}). Which one is right?`,
  about:
    "If one is right, the other is no longer served for its task. If both are right, both stay. If they are the same, they become one lesson. Every answer can be undone.",
  permission: "answer questions",
  answers: {
    first: { label: "The first is right", done: "Answered. The second is no longer served." },
    second: { label: "The second is right", done: "Answered. The first is no longer served." },
    both: { label: "Both are right", done: "Answered. Both stay." },
    same: { label: "They are the same", done: "Answered. They are one lesson now." },
  } satisfies Record<QuestionAnswer, object>,
  empty: {
    title: "No open questions",
    about:
      "Sometimes two lessons give different advice for nearly the same task, and the results of their runs do not show which one is right. Then you are asked here.",
    lessons: "All lessons",
  },
  sides,
  openLesson: (side: Side) => <>Open the lesson{inBrackets(side)}</>,
  task: "Task",
  noRun: "Not learned from a run.",
  run: "Run",
  openRun: (side: Side) => <>Open the run{inBrackets(side)}</>,
  answerOfRun: "Answer of the run",
  keys: {
    groups: { answer: "Answer", list: "List" },
    first: "The first lesson is right",
    second: "The second lesson is right",
    both: "Both are right",
    same: "They are the same lesson",
    undo: "Undo the last change",
    next: "Next question",
    previous: "Previous question",
  },
};

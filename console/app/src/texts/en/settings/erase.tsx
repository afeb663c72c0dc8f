import type { ReactNode } from "react";
import { counted, number } from "../../../parts/time";

export const erase = {
  title: "Erasure",
  about:
    "Removes runs, their messages, the texts of their reviews, and records of retrievals for the same tasks. This cannot be undone. You can leave the page while it works.",
  what: "What to erase",
  subject: {
    option: "A subject",
    optionHint: "all runs of one person or account, by the subject in their metadata",
    label: "Subject",
    submit: "Erase subject",
    confirm: "Erase this subject?",
    again: "Type the subject again",
  },
  run: {
    option: "One run",
    label: "Run",
    hint: "Its ID, from the page of the run.",
    submit: "Erase run",
    confirm: "Erase this run?",
    again: "Type the ID of the run again",
  },
  lessons: "Lessons learned from these runs",
  delete: "Erase them too",
  deleteHint: "and the skills written from them",
  keep: "Keep them",
  keepHint: "if they contain no personal data",
  permanently: "Erase permanently",
  warning: (name: ReactNode, lessonsToo: boolean) => (
    <>
      All data of {name} will be erased{lessonsToo ? ", and the lessons learned from it" : ""}. This cannot be
      undone.
    </>
  ),
  states: { waiting: "Waiting", running: "Running", done: "Done" },
  removed: (state: ReactNode, runs: number, finished: ReactNode) => (
    <>
      {state}: {counted(runs, "run", "runs")} removed{finished === null ? "" : <>, finished {finished}</>}.
    </>
  ),
  reference: (id: ReactNode) => <>Reference: {id}</>,
  rows: "Rows removed, by table",
  rowsOf: (table: string, count: number) => `${table}: ${number(count)}`,
  noRowsIn: (tables: string) => `none in ${tables}`,
  stays: "What stays, and why",
  copies: "Where copies may remain",
};

import type { ReactNode } from "react";
import { counted, number } from "../../parts/time";

export const memory = {
  title: "Memory",
  doesNotExist: "This memory does not exist",
  notLoaded: "The memory could not be loaded",
  all: "All memories",
  try: "Try it",
  noneToMerge: "There is no similar memory to merge with.",
  mergedInto: (link: (text: string) => ReactNode) => (
    <>This memory was merged into {link("another memory")}.</>
  ),
  superseded: "A newer run contradicts this memory, so it is no longer served. Enable it if it is right.",
  openLesson: "Open the lesson",
  metadata: "Metadata",
  noMetadata: "None.",

  quarantine: {
    title: "Why it is in quarantine",
    flags: "Flags",
    hint: "Flags are hints, not proof. They also check the task.",
    hintEdited:
      "Flags are hints, not proof. They also check the task. They refer to the first version. The text was edited since.",
  },

  history: {
    title: "History",
    notShown: (count: number) =>
      `${counted(count, "earlier change is not shown", "earlier changes are not shown")}.`,
    caption: "All changes, newest first",
    columns: {
      when: "When",
      change: "Change",
      by: "By",
      qValue: "Recent average",
      credit: "Credit",
      run: "Run",
    },
    showLast: (count: number) => `Show the last ${number(count)}`,
    showAll: (count: number) => `Show all ${number(count)} changes`,
    openRun: (at: string) => (
      <>
        open<span className="sr-only"> the run of {at}</span>
      </>
    ),
    /** The title of a point of the chart. */
    point: (what: string, before: string, after: string) => `${what}: ${before} to ${after}`,
    legend: {
      qValue: "recent average",
      credit: "credit",
      pass: "pass",
      fail: "fail",
      withdrawn: "withdrawn",
      edit: "edit",
    },
    results: { pass: "pass", fail: "fail" },
    used: "used",
    notUsed: "not used",
    /** How it is known whether a run used a memory. The client's own statement needs no words. */
    usedBy: {
      model: (use: string) => `${use} (according to a model)`,
      text: (use: string) => `${use} (inferred from texts)`,
    } as Readonly<Record<string, (use: string) => string>>,
    withdrawn: "withdrawn",
    unknown: "unknown",
    evidenceHalved: "evidence halved",
    valuesCombined: "values combined",
    version: (version: number) => `version ${version}`,
    undone: "undone",
    edits: {
      "memory.disable": "disabled",
      "memory.enable": "enabled",
      "memory.pin": "pinned",
      "memory.unpin": "unpinned",
      "memory.quarantine": "quarantined",
      "memory.release": "released",
      "memory.corroborate": "released because other sources confirmed it",
      "memory.edit": "edited",
      "memory.merge": "merged",
      "memory.delete": "deleted",
      "memory.erase": "erased",
      "lesson.join": "joined a lesson",
      "lesson.supersede": "superseded by a newer run",
      "lesson.group": "grouped",
      "lesson.split": "split off from its lesson",
      "lesson.move": "moved to another lesson",
      "lesson.answer": "changed by the answer to a question",
      "lesson.migrate": "grouped with older memories",
    } as Readonly<Record<string, string>>,
    unchanged: "No review has changed it.",
    noReviews: "No reviews",
    reviews: (count: number, passed: number) =>
      `${counted(count, "review", "reviews")}, ${number(passed)} passed`,
    notCounted: (withdrawn: number) => `${number(withdrawn)} withdrawn and not counted`,
    otherChanges: (count: number) => counted(count, "other change", "other changes"),
  },

  uses: {
    title: "Runs that used it",
    lastUsed: (day: string) => `last used ${day}`,
    none: "No reviewed run has used it yet.",
    columns: {
      when: "When",
      task: "Task",
      result: "Result",
      used: "Used",
      rank: "Rank",
      similarity: "Similarity",
      qValue: "Recent average",
    },
    runGone: "the run is no longer stored",
    yes: "yes",
    no: "no",
    unknown: "unknown",
    all: "All runs that used it, reviewed or not",
    earlier: "Show earlier runs",
  },

  similar: {
    title: "Similar memories",
    about: "by task",
    none: "No similar memory, or this memory has no vector.",
    similarity: "Similarity",
    similar: (similarity: string) => (
      <>
        {similarity}
        <span className="sr-only"> similar</span>
      </>
    ),
    merge: (task: string) => (
      <>
        Merge<span className="sr-only"> with {task}</span>
      </>
    ),
  },

  provenance: {
    title: "Source",
    text: "Text",
    note: "Note",
    run: "Run",
    noRun: "none, or no longer stored",
    openRun: "Open the run",
    review: "Review",
    reviewed: {
      pass: (reviewer: string) => `passed by ${reviewer}`,
      fail: (reviewer: string) => `failed by ${reviewer}`,
    },
    ended: "no longer counts",
    feedback: "Feedback",
    model: "Model",
    imported: "Imported from",
    noModel: "none",
    promptVersion: (version: number) => `prompt version ${version}`,
    key: "Key",
    noKey: "none",
    otherKey: "not a key of this project",
    releasedBy: "Released by",
    notReleased: "not released yet",
    noReleaseNeeded: "not needed",
    created: "Created",
    id: "Id",
  },

  versions: {
    title: "Versions",
    counted: (count: number) => `Versions (${number(count)})`,
    first: "This is the first version. The text was never edited.",
    version: (version: number) => `Version ${version}`,
    current: (version: number) => `Version ${version}, current`,
    original: "original",
  },

  removal: {
    title: "Remove",
    delete: { label: "Delete", about: "Keeps the text. Can be undone." },
    erase: { label: "Erase permanently", about: "Removes all texts. Cannot be undone." },
    source: {
      label: "Remove everything from this source",
      about: "All memories of its key or run. Can be undone.",
    },
  },

  erase: {
    label: "Erase the memory",
    title: "Erase the memory permanently",
    about: (
      <>
        Removes all its texts, versions and vectors. Its numbers are kept.{" "}
        <strong>This cannot be undone.</strong> To remove it in a way that can be undone, disable or delete
        it.
      </>
    ),
    type: (id: ReactNode) => <>Type its id to continue: {id}</>,
    submit: "Erase permanently",
  },

  keys: {
    groups: { edit: "Edit", memory: "Memory" },
    edit: "Edit the text",
    disable: "Disable or enable",
    pin: "Pin or unpin",
    quarantine: "Quarantine or release",
    merge: "Merge with the most similar",
    undo: "Undo the last change",
    delete: "Delete the memory",
    erase: "Erase the memory permanently",
    retire: "Remove everything from its source",
    try: "Test retrieval",
    list: "Back to the list",
  },
};

import type { ReactNode } from "react";
import type { BulkAction, MemoryAction, MemorySort, MemoryStatus, StoredMemory } from "../../api/memories";
import type { Schemas } from "../../api/types";
import { counted, number } from "../../parts/time";

const bulkVerbs: Readonly<Record<BulkAction, { label: string; about: string }>> = {
  disable: { label: "Disable", about: "No longer served. Everything else is kept." },
  enable: { label: "Enable", about: "Restores disabled or deleted memories." },
  quarantine: { label: "Quarantine", about: "Not served until someone releases it." },
  release: { label: "Release", about: "You confirm that these memories are safe. They can be served." },
  unpin: { label: "Unpin", about: "Ranked like other memories again." },
  delete: {
    label: "Delete",
    about: "Removed from lists of active memories. The text is kept. Can be undone.",
  },
};

const status: Readonly<Record<MemoryStatus, string>> = {
  active: "active",
  quarantined: "quarantined",
  disabled: "disabled",
  merged: "merged",
  deleted: "deleted",
  retired: "retired",
  erased: "erased",
};

const trust: Readonly<Record<Schemas["Trust"], string>> = {
  untrusted: "untrusted",
  normal: "normal trust",
  trusted: "trusted",
};

const keyStatus: Readonly<Record<string, string>> = {
  active: "active",
  expired: "expired",
  revoked: "revoked",
};

export const memories = {
  title: "Memories",
  memory: "Memory",
  task: "Task",
  value: "Value",
  noTask: "(no task)",
  noText: "(no text)",
  erased: "(erased)",
  cancel: "Cancel",
  status,
  superseded: "superseded",
  supersededAbout: "A newer run contradicts it, so it is no longer served.",
  pinned: "pinned",
  trust,
  merged: (others: number) => `${counted(others, "other is", "others are")} merged into it`,
  /** How the text came about. */
  origin: {
    review: "written by a model from the reviewed run",
    authored: "sent with the review",
    offline: "generated without a model",
    manual: "written by hand",
    import: "imported",
  } satisfies Record<StoredMemory["origin"], string>,
  fields: {
    summary: "Lesson",
    guidance: "What to do",
    key_mistake: "What went wrong",
    correct_action: "What should have been done",
  },
  lesson: "Lesson",
  textMissing: "No text.",
  tools: "Tools and areas",
  toolsField: "Tools and areas, separated by commas",
  taskMissing: "Enter a task. Retrieval finds a memory by its task.",
  lessonMissing: "Fill in at least one field of the lesson.",

  /** Names of actions, on buttons. */
  verbs: {
    edit: "Edit",
    merge: "Merge",
    disable: "Disable",
    enable: "Enable",
    pin: "Pin",
    unpin: "Unpin",
    quarantine: "Quarantine",
    release: "Release",
  } satisfies Record<MemoryAction | "edit" | "merge", string>,
  done: {
    disable: "Disabled. It is no longer served.",
    enable: "Enabled.",
    pin: "Pinned. It is served first for every query.",
    unpin: "Unpinned.",
    quarantine: "In quarantine. It is not served until someone releases it.",
    release: "Released.",
    delete: "Deleted.",
    erase: "Erased permanently.",
    edit: (version: number) => `Saved a new version. It is version ${version}.`,
    merge: (count: number) => `Merged ${counted(count, "memory", "memories")} into one.`,
    group: (count: number) => `Grouped ${counted(count, "lesson", "lessons")} into one.`,
  },
  nothingChanged: "Nothing changed.",
  undo: "Undo",
  undone: (what: string) => `Undone: ${what}`,
  nothingToUndo: "There is nothing to undo.",
  notPossible: (now: MemoryStatus) => `This action is not possible: the memory is ${status[now]}.`,
  pinLimit: (problem: string) => `${problem}. Unpin a memory first; see the filter “Pinned”`,
  erasedHasNoText: "An erased memory has no text to edit.",
  noneToMerge: "No similar memory was found. Select the memories to merge.",
  selectToGroup: "Select the lessons to group.",

  list: {
    matching: (count: string) => `${count} match`,
    stored: (count: string) => `${count} stored`,
    changed: (count: number) => `${number(count)} changed`,
    selected: (count: number) => `${number(count)} selected`,
    group: "Group",
    merge: "Merge",
    clear: "Clear",
    changeSelection: "Change them",
    changeMatches: "Change all that match",
    removeBySource: "Remove by source",
    filterLessons: "Filter lessons",
    filterMemories: "Filter memories",
    lessonsHint: "For example credit:<0.4 since:7d refund  (/)",
    memoriesHint: "For example utility:<0.4 since:7d refund  (/)",
    invalidFilter: "The filter is not valid",
    lessonsNotLoaded: "The lessons could not be loaded",
    memoriesNotLoaded: "The memories could not be loaded",
    lessons: "Lessons",
    situations: "Situations",
    otherSituations: (task: string, others: number) =>
      `${task} · ${counted(others, "other situation", "other situations")}`,
    columns: {
      lessonAndSituations: "Lesson and situations",
      taskAndLesson: "Task and lesson",
      status: "Status",
      source: "Source",
      sourceAbout: "The result of the run that this memory was learned from",
      value: "Value",
      valueAbout: "Whether the runs that used it went better than expected",
      lastUsed: "Last used",
      age: "Age",
    },
  },
  lists: {
    label: "List",
    lessons: { name: "Lessons", about: "What was learned, each text once" },
    situations: { name: "Situations", about: "The tasks that lessons were learned from" },
  },
  views: {
    label: "Views",
    all: "All",
    attention: "Needs attention",
    harmful: "Most harmful",
  },
  /** Better and worse: the runs that used it, by its credit. */
  filters: {
    label: "Common filters",
    active: "Active",
    quarantine: "In quarantine",
    pinned: "Pinned",
    better: "Better than expected",
    worse: "Worse than expected",
    superseded: "Superseded",
    unused: "Not in use",
  },
  order: "Order",
  sorts: {
    attention: "needs attention",
    harm: "most harmful",
    newest: "recently learned",
    utility: "highest utility",
    evidence: "most evidence",
  } satisfies Record<MemorySort, string>,
  empty: {
    title: "No memories yet",
    about: "Reflect learns a lesson from reviewed runs. Lessons appear here after the first review.",
    review: (pending: number) => `Review ${counted(pending, "pending run", "pending runs")}`,
    send: "No run is waiting for review: see how to send one",
    noMatch: { lesson: "No lesson matches", memory: "No memory matches" },
    clear: "Clear the filter",
  },

  edit: {
    label: "Edit the memory",
    title: (version: number) => `Edit version ${version}`,
    about: "A change of the lesson applies to all its situations, a change of the task only to this one.",
    changes: "What changes",
    noChanges:
      "No changes yet. An edit keeps the utility and halves the evidence of the credit, because the text is different.",
    conflict: "Copy your text, close this dialog, and edit the current version.",
    save: (version: number) => `Save as version ${version}`,
  },
  group: {
    label: "Group lessons",
    title: (count: number) => `Group ${counted(count, "lesson", "lessons")}`,
    about:
      "Group lessons that give the same advice. All situations then have the text that you keep, and each keeps its credit. This can be undone.",
    which: "Which text is kept",
    submit: "Group",
  },
  merge: {
    label: "Merge memories",
    title: (count: number) => `Merge ${counted(count, "memory", "memories")}`,
    about:
      "Choose which one to keep. It then counts the reviews of all of them, and the others link to it. This can be undone.",
    which: "Which one to keep",
    edit: "Edit the text of the memory that is kept",
    submit: (others: number) => `Merge ${number(others)} into the memory that is kept`,
    kept: "Kept",
    mergedInto: "Merged into the kept memory",
  },
  bulk: {
    action: "Action",
    verbs: bulkVerbs,
    choose: "Choose which memories to change.",
    submit: (verb: BulkAction, count: number) =>
      `${bulkVerbs[verb].label} ${counted(count, "memory", "memories")}`,
    selection: "Change the selection",
    selected: (count: number) =>
      count === 1 ? "The memory that you selected." : `The ${number(count)} memories that you selected.`,
    matches: "Change all that match",
    matching: (filter: ReactNode) => <>Every memory that matches {filter}, including those not shown.</>,
  },
  source: {
    title: "Remove everything from one source",
    source: "Source",
    kinds: { key: "A key", trace: "A run", time: "A time range" },
    runId: "Run id",
    from: "Created at or after",
    to: "Created before",
    key: "Key",
    keyId: "Key id",
    chooseKey: "Choose a key",
    keyOption: (label: string, id: string, level: Schemas["Trust"], state: string) =>
      `${label} (${id}, ${trust[level]}, ${keyStatus[state] ?? state})`,
  },

  flags: {
    label: "flags:",
    /** Flags of a newer server have no name here. */
    names: {
      orders: "contains instructions",
      credentials: "credentials",
      link: "link",
      code: "code",
      copy: "copy",
    } as Readonly<Record<string, string>>,
    about: {
      orders: "The text addresses its reader with instructions.",
      credentials: "The text contains what looks like a password or a key.",
      link: "The text contains a network address.",
      code: "The text contains something to execute.",
      copy: "The text repeats more than 200 characters of a tool result.",
    } as Readonly<Record<string, string>>,
    unknown: "The text looks suspicious.",
  },
  quarantine: {
    untrusted: "A memory from an untrusted key stays in quarantine until a member releases it.",
    flagged: "This memory is flagged, so only a person can release it.",
    blocked:
      "A lesson that looks like instructions or contains credentials stays in quarantine until a person releases it.",
    manual: "A member put it into quarantine.",
  },

  keys: {
    groups: { list: "List", edit: "Edit", bulk: "Bulk actions" },
    filter: "Filter",
    refresh: "Show new entries",
    extendDown: "Extend the selection down",
    extendUp: "Extend the selection up",
    undo: "Undo the last change",
    lessons: {
      next: "Next lesson",
      previous: "Previous lesson",
      open: "Open the lesson",
      cancel: "Leave the filter, or clear the selection",
      select: "Select the lesson",
      group: "Group the selection",
    },
    situations: {
      next: "Next memory",
      previous: "Previous memory",
      peek: "Preview the memory",
      open: "Open the memory",
      cancel: "Close the preview, or leave the filter",
      edit: "Edit the text",
      disable: "Disable or enable",
      pin: "Pin or unpin",
      quarantine: "Quarantine or release",
      select: "Select the memory",
      merge: "Merge the selection, or with the most similar",
      bulk: "Change the selection",
      retire: "Remove everything from one source",
    },
  },
};

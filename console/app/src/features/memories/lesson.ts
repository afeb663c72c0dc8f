// A lesson as a form: its fields, and the resulting change request.
import type { EditMemory, MemoryVersion, StoredMemory } from "../../api/memories";
import { t } from "../../texts";

/** The label of a field is `t.memories.fields[name]`. */
export const LESSON_FIELDS = [
  { name: "summary", rows: 2 },
  { name: "guidance", rows: 4 },
  { name: "key_mistake", rows: 2 },
  { name: "correct_action", rows: 2 },
] as const;

type LessonField = (typeof LESSON_FIELDS)[number]["name"];
/** The form values, all as text. */
export type Draft = Record<LessonField | "task" | "tools", string>;
type Texts = Pick<
  StoredMemory,
  "task" | "summary" | "guidance" | "key_mistake" | "correct_action" | "applicable_tools"
>;

/** The fields that have a text, each text once: a lesson without a model repeats its summary in other fields. */
export function filledFields(lesson: Record<LessonField, string>, except = "") {
  const seen = new Set(["", except.trim()]);
  return LESSON_FIELDS.filter(({ name }) => {
    const text = lesson[name].trim();
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

export function draftOf(memory: Texts | MemoryVersion): Draft {
  return {
    task: memory.task,
    summary: memory.summary,
    guidance: memory.guidance,
    key_mistake: memory.key_mistake,
    correct_action: memory.correct_action,
    tools: memory.applicable_tools.join(", "),
  };
}

const toolsOf = (text: string) =>
  text
    .split(",")
    .map((tool) => tool.trim())
    .filter((tool) => tool !== "");

/** Only the changed fields; null if nothing changed. */
export function editOf(before: Draft, after: Draft): EditMemory | null {
  const edit: EditMemory = {};
  if (after.task !== before.task) edit.task = after.task;
  for (const { name } of LESSON_FIELDS) if (after[name] !== before[name]) edit[name] = after[name];
  const tools = toolsOf(after.tools);
  if (tools.join("\n") !== toolsOf(before.tools).join("\n")) edit.applicable_tools = tools;
  return Object.keys(edit).length === 0 ? null : edit;
}

/** Why a draft cannot be saved. */
export function validateDraft(draft: Draft): string | null {
  if (draft.task.trim() === "") return t.memories.taskMissing;
  if (LESSON_FIELDS.every(({ name }) => draft[name].trim() === "")) return t.memories.lessonMissing;
  return null;
}

/** The whole text field by field, for a diff. */
export function fieldTexts(draft: Draft): { label: string; text: string }[] {
  const { task, fields, tools } = t.memories;
  return [
    { label: task, text: draft.task },
    ...LESSON_FIELDS.map(({ name }) => ({ label: fields[name], text: draft[name] })),
    { label: tools, text: draft.tools },
  ];
}

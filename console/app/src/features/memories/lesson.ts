// A lesson as a form: its fields, and the resulting change request.
import type { EditMemory, MemoryVersion, StoredMemory } from "../../api/memories";

export const LESSON_FIELDS = [
  { name: "summary", label: "Lesson", rows: 2 },
  { name: "guidance", label: "What to do", rows: 4 },
  { name: "key_mistake", label: "What went wrong", rows: 2 },
  { name: "correct_action", label: "What should have been done", rows: 2 },
] as const;

type LessonField = (typeof LESSON_FIELDS)[number]["name"];
/** The form values, all as text. */
export type Draft = Record<LessonField | "task" | "tools", string>;
type Texts = Pick<
  StoredMemory,
  "task" | "summary" | "guidance" | "key_mistake" | "correct_action" | "applicable_tools"
>;

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
  if (draft.task.trim() === "") return "Enter a task. Retrieval finds a memory by its task.";
  if (LESSON_FIELDS.every(({ name }) => draft[name].trim() === ""))
    return "Fill in at least one field of the lesson.";
  return null;
}

/** The whole text field by field, for a diff. */
export function fieldTexts(draft: Draft): { label: string; text: string }[] {
  return [
    { label: "Task", text: draft.task },
    ...LESSON_FIELDS.map((field) => ({ label: field.label as string, text: draft[field.name] })),
    { label: "Tools and areas", text: draft.tools },
  ];
}

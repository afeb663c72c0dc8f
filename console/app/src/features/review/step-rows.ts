// The rows of a run: one line per step, and a tool call with its result in one row. Pure functions.
import type { DigestStep, QueuedTrace, Step } from "../../api/types";
import { t } from "../../texts";

export type Row = {
  /** Counts from 1. */
  step: number;
  kind: string;
  tool: string | null;
  /** The arguments of a call, or the message, in one line. */
  text: string;
  result: { step: number; text: string } | null;
  failed: boolean;
  /** The number of steps before this row that are not listed. */
  gap: number;
  /** The steps of the row with their whole texts, if they are loaded. */
  loaded: Step[];
};

type Digest = QueuedTrace["digest"];
type Loaded = ReadonlyMap<number, Step>;

/** Longer texts are cut in a row. */
const LINE_CHARACTERS = 120;

/** The rows of a digest. `loaded` contains steps by their number, which counts from 0. */
export function rowsOf(digest: Digest, loaded: Loaded): Row[] {
  const rows: Row[] = [];
  const calls: Row[] = [];
  let gap = 0;
  let last = 0;
  for (const listed of digest.steps?.listed ?? []) {
    const step = loaded.get(listed.step - 1);
    gap += listed.step - last - 1;
    last = listed.step;
    if (isShownElsewhere(digest, listed, step)) continue;
    const call = takeCall(calls, listed, step);
    if (call !== undefined) {
      call.result = { step: listed.step, text: lineOf(step) ?? withoutTool(listed.title, call.tool) };
      call.failed ||= listed.failed;
      if (step !== undefined) call.loaded.push(step);
      continue;
    }
    const row = rowOf(listed, step, gap);
    gap = 0;
    rows.push(row);
    if (row.kind === "tool_call") calls.push(row);
  }
  return rows;
}

function rowOf(listed: DigestStep, step: Step | undefined, gap: number): Row {
  const kind = step?.kind ?? listed.kind;
  const tool = step?.tool ?? toolOf(listed);
  return {
    step: listed.step,
    kind,
    tool,
    text: lineOf(step) ?? withoutTool(listed.title, tool),
    result: null,
    failed: listed.failed,
    gap,
    loaded: step === undefined ? [] : [step],
  };
}

/** The title of a call starts with the name of its tool, if it has one: `find {"day": 1}`. */
const toolOf = ({ kind, title }: DigestStep): string | null =>
  kind === "tool_call" ? (/^[\w.:/-]+(?=\s|$)/.exec(title)?.[0] ?? null) : null;

/** The title of a result starts with the name and a colon: `find: no such day`. */
const withoutTool = (title: string, tool: string | null) =>
  tool !== null && title.startsWith(tool) ? title.slice(tool.length).replace(/^:?\s+/, "") : title;

/** Removes the call that a step is the result of from the open calls; undefined if it is not a result. */
function takeCall(calls: Row[], listed: DigestStep, step: Step | undefined): Row | undefined {
  const id = step?.call_id;
  if (listed.kind !== "tool_result" && (id == null || listed.kind === "tool_call")) return undefined;
  const byId = calls.findLastIndex((call) => call.loaded[0]?.call_id === id);
  const byTool = calls.findIndex((call) => call.tool !== null && listed.title.startsWith(`${call.tool}: `));
  const at = id == null ? Math.max(byTool, 0) : byId;
  return at === -1 ? undefined : calls.splice(at, 1)[0];
}

/** The task and the answer are shown in full. Their messages are not shown again. */
function isShownElsewhere(digest: Digest, listed: DigestStep, step: Step | undefined): boolean {
  if (listed.kind === "user") return isSame(digest.task, digest.task_is_cut, listed, step);
  const isLast = listed.kind === "assistant" && listed.step === digest.steps?.total;
  return isLast && isSame(digest.answer, digest.answer_is_cut, listed, step);
}

function isSame(text: string, isCut: boolean, listed: DigestStep, step: Step | undefined): boolean {
  const beginning = oneLine(isCut ? text.replace(/…$/, "") : text);
  if (step === undefined) return listed.title !== "" && text.startsWith(listed.title.replace(/…$/, ""));
  const message = oneLine(textOf(step));
  return isCut ? message.startsWith(beginning) : message === beginning;
}

/** The parts that a reviewer reads: the arguments of a call, otherwise the main text. */
const partsOf = (step: Step) => {
  const label = step.kind === "tool_call" ? "arguments" : null;
  return step.parts.filter((part) => (part.label ?? null) === label);
};

const textOf = (step: Step) =>
  partsOf(step)
    .map((part) =>
      part.form === "media" ? `[${part.media_type ?? t.review.steps.media}]` : (part.text ?? part.head ?? ""),
    )
    .join("\n");

const oneLine = (text: string) => text.trim().replace(/\s+/g, " ");

function lineOf(step: Step | undefined): string | null {
  if (step === undefined) return null;
  return oneLine(textOf(step)).slice(0, 2 * LINE_CHARACTERS) || null;
}

/** The step of the row before or after the one that shows a step. */
export function neighbourStep(rows: readonly Row[], step: number, by: number): number {
  const own = rows.findIndex((row) => row.step === step || row.result?.step === step);
  // A step without a row is the task or the answer.
  const index = own === -1 ? rows.filter((row) => row.step < step).length - (by > 0 ? 1 : 0) : own;
  return rows[Math.max(0, Math.min(rows.length - 1, index + by))]?.step ?? step;
}

/** Always folded, because these texts are long and rarely needed. */
export const isFolded = (kind: string): kind is "system" | "memory" => kind === "system" || kind === "memory";

/** The size in bytes of the texts that do not fit their row; 0 if the row shows all. */
export function hiddenSize(row: Row): number {
  const hidden = row.loaded.filter(
    (step) =>
      isFolded(step.kind) ||
      partsOf(step).some((part) => part.form === "media") ||
      oneLine(textOf(step)).length > LINE_CHARACTERS,
  );
  return hidden.flatMap(partsOf).reduce((sum, part) => sum + part.size, 0);
}

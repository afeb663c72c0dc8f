// The rows of a run: from the digest at once, and with more details when the steps are loaded.
import { expect, it } from "vitest";
import type { DigestStep, Step } from "../../api/types";
import { queued } from "./samples";
import { hiddenSize, neighbourStep, rowsOf } from "./step-rows";

const listed = (step: number, kind: string, title: string, failed = false): DigestStep => ({
  step,
  message: step,
  kind,
  title,
  failed,
});
const digest = (...steps: DigestStep[]) => ({
  ...queued("a").digest,
  task: "Refund order 1",
  answer: "Refunded.",
  steps: { total: steps.at(-1)?.step ?? 0, by_kind: {}, listed: steps },
});
const loaded = (...steps: Partial<Step>[]) =>
  new Map(
    steps.map((step) => [step.n ?? 0, { title: "", message: 0, failed: false, parts: [], ...step } as Step]),
  );
const text = (said: string, label: string | null = null) => ({
  n: 0,
  form: "text" as const,
  label,
  size: said.length,
  text: said,
});
const NONE = loaded();
const lines = (rows: ReturnType<typeof rowsOf>) =>
  rows.map((row) => [row.step, row.tool, row.text, row.result?.text ?? null]);

it("shows a call with its result in one row, and neither the task nor the answer again", () => {
  const rows = rowsOf(
    digest(
      listed(1, "system", "You are a support agent."),
      listed(2, "user", "Refund order 1"),
      listed(3, "tool_call", 'lookup_order {"id": 1}'),
      listed(4, "tool_result", "lookup_order: not found", true),
      listed(5, "assistant", "I try again."),
      listed(6, "assistant", "Refunded."),
    ),
    NONE,
  );
  expect(lines(rows)).toEqual([
    [1, null, "You are a support agent.", null],
    [3, "lookup_order", '{"id": 1}', "not found"],
    [5, null, "I try again.", null],
  ]);
  expect(rows.map((row) => row.failed)).toEqual([false, true, false]);
});

it("pairs by tool or order at first, and by call id when the steps are loaded", () => {
  const run = digest(
    listed(1, "tool_call", "find a"),
    listed(2, "tool_call", "read b"),
    listed(3, "tool_result", "read: text of b"),
    listed(4, "tool_result", "first"),
    listed(5, "tool_result", "without a call"),
  );
  expect(lines(rowsOf(run, NONE))).toEqual([
    [1, "find", "a", "first"],
    [2, "read", "b", "text of b"],
    [5, null, "without a call", null],
  ]);
  const steps = loaded(
    { n: 0, kind: "tool_call", tool: "find", call_id: "x" },
    { n: 1, kind: "tool_call", tool: "read", call_id: "y" },
    { n: 2, kind: "tool_result", tool: "read", call_id: "y" },
    { n: 3, kind: "tool_result", call_id: "z" },
    { n: 4, kind: "error", call_id: "x" },
  );
  expect(lines(rowsOf(run, steps))).toEqual([
    [1, "find", "a", "without a call"],
    [2, "read", "b", "text of b"],
    [4, null, "first", null],
  ]);
});

it("shows a user message that contains more than the task", () => {
  const run = digest(listed(1, "user", "Refund order 1"));
  const said = (message: string) => rowsOf(run, loaded({ n: 0, kind: "user", parts: [text(message)] }));
  expect(said("Refund order 1\n")).toEqual([]);
  expect(lines(said("Refund order 1\nand be quick"))).toEqual([
    [1, null, "Refund order 1 and be quick", null],
  ]);
});

it("moves from row to row, also from a step without a row", () => {
  const rows = rowsOf(
    digest(
      listed(1, "user", "Refund order 1"),
      listed(2, "tool_call", "find a"),
      listed(3, "tool_result", "find: b"),
      listed(4, "assistant", "I try again."),
      listed(5, "assistant", "Refunded."),
    ),
    NONE,
  );
  const from = (step: number) => [neighbourStep(rows, step, -1), neighbourStep(rows, step, 1)];
  expect([1, 2, 3, 4, 5].map(from)).toEqual([
    [2, 2],
    [2, 4],
    [2, 4],
    [2, 4],
    [4, 4],
  ]);
  expect(neighbourStep([], 1, 1)).toBe(1);
});

it("says how many steps are not listed", () => {
  const rows = rowsOf(digest(listed(1, "note", "a"), listed(41, "note", "b")), NONE);
  expect(rows.map((row) => row.gap)).toEqual([0, 39]);
});

it("knows the size of what a row hides: long results, the system prompt", () => {
  const run = digest(
    listed(1, "system", "Be kind."),
    listed(2, "tool_call", "find a"),
    listed(3, "tool_result", "find: {"),
    listed(4, "tool_call", "find b"),
    listed(5, "tool_result", "find: short"),
  );
  const long = `{\n "price": 24,\n "note": "${"x".repeat(200)}"\n}`;
  const steps = loaded(
    { n: 0, kind: "system", parts: [text("Be kind.")] },
    { n: 1, kind: "tool_call", tool: "find", call_id: "x", parts: [text("a", "arguments")] },
    { n: 2, kind: "tool_result", tool: "find", call_id: "x", parts: [text(long)] },
    { n: 3, kind: "tool_call", tool: "find", call_id: "y", parts: [text("b", "arguments")] },
    { n: 4, kind: "tool_result", tool: "find", call_id: "y", parts: [text("short")] },
  );
  const rows = rowsOf(run, steps);
  expect(rows.map(hiddenSize)).toEqual([8, long.length, 0]);
  expect(rows[1]?.result?.text).toMatch(/^\{ "price": 24, "note": "x+/);
  expect(rowsOf(run, NONE).map(hiddenSize)).toEqual([0, 0, 0]);
});

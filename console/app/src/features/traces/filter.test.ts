// The filter language.
import { expect, it } from "vitest";
import { queryOf, runFilterOf, without, wordsOf } from "./filter";

const NOW = Date.parse("2026-11-15T12:00:00Z");

it("reads every field", () => {
  const id = "01a1dd7e-3f9d-7268-b8f2-277cca504f80";
  const text = `status:pending result:fail learning:failed error:true model:gpt-5* mem:${id} since:7d until:2026-11-14`;
  expect(queryOf(text, NOW)).toEqual({
    review_status: "pending",
    result: "fail",
    ingest_status: "failed",
    has_error: true,
    model: "gpt-5*",
    memory_id: id,
    since: "2026-11-08T12:00:00.000Z",
    until: "2026-11-14T00:00:00.000Z",
  });
});

it("takes everything else as text", () => {
  expect(queryOf('refund "broken cup"', NOW)).toEqual({ text: "refund broken cup" });
  expect(queryOf("see https://example.com/x", NOW)).toEqual({ text: "see https://example.com/x" });
});

it("says what is wrong, and asks for the rest", () => {
  const words = wordsOf("status:done colour:red since:soon mem:12");
  expect(words.map((word) => word.problem)).toEqual([
    "“status” takes pending or reviewed.",
    "There is no field “colour”.",
    "“since” takes such as 2h, 7d or 2026-11-01.",
    "“mem” takes the id of a memory.",
  ]);
  expect(queryOf("status:done refund", NOW)).toEqual({ text: "refund" });
});

it("can lose one word", () => {
  const text = "status:pending result:fail refund";
  const word = wordsOf(text)[1];
  expect(word && without(text, word)).toBe("status:pending refund");
});

it("knows what the queue can be asked for", () => {
  expect(runFilterOf("model:gpt signal:tool_error judged:true refund status:pending")).toEqual({
    filter: { model: "gpt", signal: "tool_error", judged: true, task: "refund" },
    unused: ["status:pending"],
  });
});

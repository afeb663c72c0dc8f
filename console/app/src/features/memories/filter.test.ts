// The filter of memories.
import { expect, it } from "vitest";
import { memoriesQueryOf, memoryWords, selectionOf, VIEWS } from "./filter";

const NOW = Date.parse("2026-11-15T12:00:00Z");
const ID = "01a1dd7e-3f9d-7268-b8f2-277cca504f80";

it("reads every field", () => {
  const text = `status:active,disabled origin:manual pinned:false utility:<0.4 credit:>.6 evidence:3 key:${ID} trace:${ID} since:7d until:2026-11-14 broken "blue cup"`;
  expect(memoriesQueryOf(text, NOW)).toEqual({
    status: "active,disabled",
    origin: "manual",
    pinned: false,
    utility_below: 0.4,
    credit_above: 0.6,
    evidence_at_least: 3,
    author_key_id: ID,
    source_trace_id: ID,
    created_after: "2026-11-08T12:00:00.000Z",
    created_before: "2026-11-14T00:00:00.000Z",
    text: "broken blue cup",
  });
});

it("says what is wrong, and asks for the rest", () => {
  const problems = memoryWords("status:active,gone utility:<4 credit:< evidence:few key:me result:fail").map(
    (word) => word.problem,
  );
  expect(problems).toEqual([
    "“status” takes active, quarantined, disabled, deleted, merged, retired or erased.",
    "“utility” takes such as <0.4 or >0.6.",
    "“credit” takes such as <0.4 or >0.6.",
    "“evidence” takes how many reviews at least, such as 3.",
    "“key” takes the id of a key.",
    "There is no field “result”.",
  ]);
  expect(memoriesQueryOf("utility:<4 pinned:true", NOW)).toEqual({ pinned: true });
});

it("asks the same of a change in bulk, with lists as lists and without an order", () => {
  expect(selectionOf({ status: "active,disabled", origin: "manual", text: "cup", sort: "newest" })).toEqual({
    status: ["active", "disabled"],
    origin: ["manual"],
    text: "cup",
  });
  expect(selectionOf({ pinned: true })).toEqual({ pinned: true });
});

it("offers no view that it cannot read", () => {
  const wrong = VIEWS.flatMap((view) => memoryWords(view.q)).filter((word) => word.problem !== null);
  expect(wrong).toEqual([]);
});

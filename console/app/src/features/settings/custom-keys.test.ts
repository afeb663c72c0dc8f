// Custom keys.
import { expect, it } from "vitest";
import { GLOBAL_KEYS } from "../../shell/actions";
import { REVIEW_KEYS } from "../review/keys";
import { TRACES_KEYS } from "../traces/keys";
import { TRACE_KEYS } from "../trace/keys";
import { conflictsOf, withCustomKey } from "./custom-keys";

const tables = [
  { screen: "Review", specs: REVIEW_KEYS },
  { screen: "Traces", specs: TRACES_KEYS },
  { screen: "Trace", specs: TRACE_KEYS },
];
const pass = REVIEW_KEYS.find((spec) => spec.action === "pass") ?? { action: "pass", keys: [] };

it("accepts the default keys and an unused key", () => {
  expect(conflictsOf(tables, GLOBAL_KEYS, {})).toEqual([]);
  expect(conflictsOf(tables, GLOBAL_KEYS, withCustomKey({}, pass, "q"))).toEqual([]);
});

it("rejects a key with another action on the same page, and names it by its label", () => {
  const found = conflictsOf(tables, GLOBAL_KEYS, withCustomKey({}, pass, "n"));
  expect(found.join(" ")).toMatch(/^Review: n is assigned to both .*“Pass”/);
});

it("rejects a verdict on Enter, and a key that starts a sequence", () => {
  expect(conflictsOf(tables, GLOBAL_KEYS, withCustomKey({}, pass, "Enter")).join(" ")).toContain(
    "must not be assigned to a verdict",
  );
  expect(conflictsOf(tables, GLOBAL_KEYS, withCustomKey({}, pass, "g")).join(" ")).toContain("also starts");
});

it("removes a custom key that equals the default", () => {
  expect(withCustomKey({ pass: ["q"], fail: ["w"] }, pass, null)).toEqual({ fail: ["w"] });
});

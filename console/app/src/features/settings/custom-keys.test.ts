// Custom keys.
import { expect, it } from "vitest";
import { globalKeys } from "../../shell/actions";
import { reviewKeys } from "../review/keys";
import { tracesKeys } from "../traces/keys";
import { traceKeys } from "../trace/keys";
import { conflictsOf, withCustomKey } from "./custom-keys";

const tables = [
  { screen: "Review", specs: reviewKeys() },
  { screen: "Traces", specs: tracesKeys() },
  { screen: "Trace", specs: traceKeys() },
];
const pass = reviewKeys().find((spec) => spec.action === "pass") ?? { action: "pass", keys: [] };

it("accepts the default keys and an unused key", () => {
  expect(conflictsOf(tables, globalKeys(), {})).toEqual([]);
  expect(conflictsOf(tables, globalKeys(), withCustomKey({}, pass, "q"))).toEqual([]);
});

it("rejects a key with another action on the same page, and names it by its label", () => {
  const found = conflictsOf(tables, globalKeys(), withCustomKey({}, pass, "n"));
  expect(found.join(" ")).toMatch(/^Review: n is assigned to both .*“Pass”/);
});

it("rejects a verdict on Enter, and a key that starts a sequence", () => {
  expect(conflictsOf(tables, globalKeys(), withCustomKey({}, pass, "Enter")).join(" ")).toContain(
    "must not be assigned to a verdict",
  );
  expect(conflictsOf(tables, globalKeys(), withCustomKey({}, pass, "g")).join(" ")).toContain("also starts");
});

it("removes a custom key that equals the default", () => {
  expect(withCustomKey({ pass: ["q"], fail: ["w"] }, pass, null)).toEqual({ fail: ["w"] });
});

// Own keys.
import { expect, it } from "vitest";
import { GLOBAL_KEYS } from "../../shell/actions";
import { REVIEW_KEYS } from "../review/keys";
import { TRACES_KEYS } from "../traces/keys";
import { TRACE_KEYS } from "../trace/keys";
import { faultsOf, withKey } from "./remap";

const tables = [
  { screen: "Review", specs: REVIEW_KEYS },
  { screen: "Traces", specs: TRACES_KEYS },
  { screen: "Trace", specs: TRACE_KEYS },
];
const pass = REVIEW_KEYS.find((spec) => spec.action === "pass") ?? { action: "pass", keys: [] };

it("has nothing to say against the usual keys, nor against a free one", () => {
  expect(faultsOf(tables, GLOBAL_KEYS, {})).toEqual([]);
  expect(faultsOf(tables, GLOBAL_KEYS, withKey({}, pass, "q"))).toEqual([]);
});

it("refuses a key that stands for something else on the same screen, by its label", () => {
  const found = faultsOf(tables, GLOBAL_KEYS, withKey({}, pass, "n"));
  expect(found.join(" ")).toMatch(/^Review: n stands for both .*“Pass”/);
});

it("refuses a verdict on Enter, and a key that begins a sequence", () => {
  expect(faultsOf(tables, GLOBAL_KEYS, withKey({}, pass, "Enter")).join(" ")).toContain(
    "must not give a verdict",
  );
  expect(faultsOf(tables, GLOBAL_KEYS, withKey({}, pass, "g")).join(" ")).toContain("also begins");
});

it("forgets a choice that is none", () => {
  expect(withKey({ pass: ["q"], fail: ["w"] }, pass, null)).toEqual({ fail: ["w"] });
});

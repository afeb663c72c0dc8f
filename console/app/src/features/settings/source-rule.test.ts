// The rule of a source of signals in a form.
import { afterEach, expect, it } from "vitest";
import { loadTexts } from "../../texts";
import { changeOf, draftOf, isSourceName, type Draft, type Rule } from "./source-rule";

const MERGE: Rule = {
  counts: true,
  pass_from: 0.7,
  fail_below: 0.3,
  wait_pass_seconds: 259_200,
  wait_fail_seconds: 0,
  precedence: 50,
};
const change = (more: Partial<Draft>) => changeOf(MERGE, { ...draftOf(MERGE), ...more });

afterEach(() => loadTexts("en"));

it("shows waiting times in hours", () => {
  expect(draftOf(MERGE)).toEqual({
    counts: true,
    waitPass: "72",
    waitFail: "0",
    precedence: "50",
    passFrom: "0.7",
    failBelow: "0.3",
  });
});

it("sends only what was changed", () => {
  expect(change({})).toEqual({ change: {}, fault: null });
  expect(change({ waitPass: "1.5", counts: false }).change).toEqual({
    counts: false,
    wait_pass_seconds: 5_400,
  });
  expect(change({ precedence: "0", passFrom: "1", failBelow: "0.5", waitFail: "24" }).change).toEqual({
    precedence: 0,
    pass_from: 1,
    fail_below: 0.5,
    wait_fail_seconds: 86_400,
  });
});

it("says which value is wrong", () => {
  for (const [wrong, said] of [
    [{ waitPass: "721" }, "Wait after a pass: enter a number from 0 to 720."],
    [{ waitFail: "" }, "Wait after a fail: enter a number from 0 to 720."],
    [{ precedence: "101" }, "Precedence: enter a number from 0 to 100."],
    [{ precedence: "1.5" }, "Precedence: enter a whole number."],
    [{ passFrom: "1.1" }, "Score of a pass: enter a number from 0 to 1."],
    [{ failBelow: "0.8" }, "The score of a fail must not be higher than the score of a pass."],
  ] as const) {
    expect(change(wrong).fault).toBe(said);
  }
});

it("reads what German readers write", async () => {
  await loadTexts("de");
  expect(draftOf(MERGE).passFrom).toBe("0,7");
  expect(change({ waitPass: "0,5" }).change).toEqual({ wait_pass_seconds: 1_800 });
});

it("knows the names of sources", () => {
  for (const name of ["ci", "nightly-build", "a.b_1"]) expect(isSourceName(name)).toBe(true);
  for (const name of ["", "CI", "1st", "a b", "x".repeat(41)]) expect(isSourceName(name)).toBe(false);
});

// The safety rules for keyboard reviews, one by one.
import { describe, expect, it } from "vitest";
import { keyTables } from "../pages";
import { globalKeys } from "../shell/actions";
import { reviewKeys } from "../features/review/keys";
import {
  conflicts,
  GUARD_MS,
  type KeyPress,
  press,
  withCustomKeys,
  SEQUENCE_MS,
  type Situation,
} from "./machine";

const table = [...globalKeys(), ...reviewKeys()];
const seen: Situation = { typing: false, dialog: false, singleKeys: true, shownSince: 0 };
const LATER = 10_000;

const down = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: "",
  ctrl: false,
  alt: false,
  meta: false,
  shift: false,
  repeat: false,
  at: LATER,
  ...more,
});
const does = (key: KeyPress, situation: Partial<Situation> = {}) =>
  press(table, null, key, { ...seen, ...situation }).action;

describe("rule 1: only a visible run can get a verdict", () => {
  it("ignores a held key", () => {
    expect(does(down("y", { repeat: true }))).toBeNull();
    expect(does(down("y"))).toBe("pass");
  });

  it("ignores verdicts before the guard time, and accepts them after it", () => {
    expect(does(down("y", { at: GUARD_MS - 1 }))).toBeNull();
    expect(does(down("y", { at: GUARD_MS }))).toBe("pass");
  });

  it("ignores verdicts before the run is painted", () => {
    for (const key of ["y", "n", "1", "2"]) expect(does(down(key), { shownSince: null })).toBeNull();
  });

  it("accepts keys that give no verdict", () => {
    expect(does(down("j", { at: 0 }))).toBe("next");
  });
});

describe("rule 2: no accidental actions", () => {
  it("does nothing while the user types", () => {
    for (const key of ["y", "n", "d", "s", "u", "1", "?"])
      expect(does(down(key), { typing: true })).toBeNull();
  });

  it("does nothing while a dialog is open", () => {
    expect(does(down("y"), { dialog: true })).toBeNull();
    expect(does(down("k", { ctrl: true }), { dialog: true })).toBeNull();
  });

  it("does nothing with a modifier held", () => {
    for (const held of [{ ctrl: true }, { alt: true }, { meta: true }]) {
      expect(does(down("y", held))).toBeNull();
      expect(does(down("n", held))).toBeNull();
    }
  });

  it("runs key combinations, also while the user types", () => {
    expect(does(down("z", { ctrl: true }))).toBe("undo");
    expect(does(down("Enter", { ctrl: true }), { typing: true })).toBe("submit");
    expect(does(down("Escape"), { typing: true })).toBe("cancel");
  });

  it("leaves undo in a text field to the browser", () => {
    expect(does(down("z", { ctrl: true }), { typing: true })).toBeNull();
  });
});

describe("rule 3: no verdict on Enter or Space", () => {
  it("has none assigned, and would ignore one", () => {
    expect(does(down("Enter"))).toBeNull();
    expect(does(down(" "))).toBeNull();
    const careless = [{ action: "pass", keys: ["Enter", "Space"], guarded: true }];
    expect(press(careless, null, down("Enter"), seen).action).toBeNull();
    expect(press(careless, null, down(" "), seen).action).toBeNull();
    expect(conflicts(careless)).toEqual([
      "Enter must not be assigned to a verdict",
      "Space must not be assigned to a verdict",
    ]);
  });
});

describe("rule 4: single-letter keys can be turned off and changed", () => {
  it("ignores letters, digits and sequences when they are off, but not key combinations", () => {
    for (const key of ["y", "1", "?", "g"]) expect(does(down(key), { singleKeys: false })).toBeNull();
    expect(does(down("N", { shift: true }), { singleKeys: false })).toBeNull();
    expect(does(down("k", { ctrl: true }), { singleKeys: false })).toBe("palette");
  });

  it("uses custom keys", () => {
    const own = withCustomKeys(table, { pass: ["p"] });
    expect(press(own, null, down("p"), seen).action).toBe("pass");
    expect(press(own, null, down("y"), seen).action).toBeNull();
  });

  it("accepts the digit keys on any layout", () => {
    expect(does(down("&", { code: "Digit1" }))).toBe("pass");
    expect(does(down("é", { code: "Digit2" }))).toBe("fail");
    expect(does(down("!", { code: "Digit1", shift: true }))).toBeNull();
  });
});

describe("rule 6: a sequence consumes its second key", () => {
  const first = press(table, null, down("g"), seen);

  it("runs the action of the sequence and nothing else", () => {
    const second = press(table, first.state, down("r"), seen);
    expect(first).toMatchObject({ action: null, swallowed: true });
    expect(second).toEqual({ state: null, action: "go-review", swallowed: true });
  });

  it("consumes an unknown second key, even if it is a verdict", () => {
    expect(press(table, first.state, down("y"), seen)).toEqual({
      state: null,
      action: null,
      swallowed: true,
    });
  });

  it("expires", () => {
    expect(press(table, first.state, down("y", { at: LATER + SEQUENCE_MS + 1 }), seen).action).toBe("pass");
  });
});

describe("rule 7: one table per page", () => {
  it("has no conflicts on any page", () => {
    for (const { specs } of keyTables()) {
      expect(conflicts([...globalKeys(), ...specs])).toEqual([]);
    }
  });

  it("detects two actions for one key, and a key that also starts a sequence", () => {
    expect(
      conflicts([
        { action: "a", keys: ["x"] },
        { action: "b", keys: ["x"] },
      ]),
    ).toHaveLength(1);
    expect(
      conflicts([
        { action: "a", keys: ["g"] },
        { action: "b", keys: ["g r"] },
      ]),
    ).toHaveLength(1);
  });
});

it("distinguishes a capital letter from its key with Shift", () => {
  expect(does(down("N", { shift: true }))).toBe("fail-silently");
  expect(does(down("n"))).toBe("fail");
  expect(does(down("N"))).toBe("fail");
});

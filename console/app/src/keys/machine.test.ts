// The safety rules of reviewing by keyboard, one by one.
import { describe, expect, it } from "vitest";
import { GLOBAL_KEYS } from "../shell/actions";
import { REVIEW_KEYS } from "../features/review/keys";
import { MEMORIES_KEYS } from "../features/memories/keys";
import { MEMORY_KEYS } from "../features/memory/keys";
import { RETRIEVE_KEYS } from "../features/retrieve/keys";
import { TRACES_KEYS } from "../features/traces/keys";
import { TRACE_KEYS } from "../features/trace/keys";
import { faults, GUARD_MS, type KeyPress, press, remapped, SEQUENCE_MS, type Situation } from "./machine";

const table = [...GLOBAL_KEYS, ...REVIEW_KEYS];
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

describe("rule 1: only what was seen can be judged", () => {
  it("ignores a key that is held down", () => {
    expect(does(down("y", { repeat: true }))).toBeNull();
    expect(does(down("y"))).toBe("pass");
  });

  it("ignores verdicts before the run was on screen long enough, and takes them from then on", () => {
    expect(does(down("y", { at: GUARD_MS - 1 }))).toBeNull();
    expect(does(down("y", { at: GUARD_MS }))).toBe("pass");
  });

  it("ignores verdicts while nothing is painted", () => {
    for (const key of ["y", "n", "1", "2"]) expect(does(down(key), { shownSince: null })).toBeNull();
  });

  it("lets keys through that give no verdict", () => {
    expect(does(down("j", { at: 0 }))).toBe("next");
  });
});

describe("rule 2: nothing fires by the way", () => {
  it("stays out of texts", () => {
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

  it("knows its chords, also while writing", () => {
    expect(does(down("z", { ctrl: true }))).toBe("undo");
    expect(does(down("Enter", { ctrl: true }), { typing: true })).toBe("submit");
    expect(does(down("Escape"), { typing: true })).toBe("cancel");
  });

  it("leaves the undoing of typed letters to the text", () => {
    expect(does(down("z", { ctrl: true }), { typing: true })).toBeNull();
  });
});

describe("rule 3: no verdict on Enter or Space", () => {
  it("has none bound, and would not obey one", () => {
    expect(does(down("Enter"))).toBeNull();
    expect(does(down(" "))).toBeNull();
    const careless = [{ action: "pass", keys: ["Enter", "Space"], guarded: true }];
    expect(press(careless, null, down("Enter"), seen).action).toBeNull();
    expect(press(careless, null, down(" "), seen).action).toBeNull();
    expect(faults(careless)).toEqual(["Enter must not give a verdict", "Space must not give a verdict"]);
  });
});

describe("rule 4: single keys can be switched off and changed", () => {
  it("obeys no letter, digit or sequence when they are off, and still obeys chords", () => {
    for (const key of ["y", "1", "?", "g"]) expect(does(down(key), { singleKeys: false })).toBeNull();
    expect(does(down("N", { shift: true }), { singleKeys: false })).toBeNull();
    expect(does(down("k", { ctrl: true }), { singleKeys: false })).toBe("palette");
  });

  it("takes other keys instead", () => {
    const own = remapped(table, { pass: ["p"] });
    expect(press(own, null, down("p"), seen).action).toBe("pass");
    expect(press(own, null, down("y"), seen).action).toBeNull();
  });

  it("takes the digit keys on any layout", () => {
    expect(does(down("&", { code: "Digit1" }))).toBe("pass");
    expect(does(down("é", { code: "Digit2" }))).toBe("fail");
    expect(does(down("!", { code: "Digit1", shift: true }))).toBeNull();
  });
});

describe("rule 6: a sequence takes its second key", () => {
  const first = press(table, null, down("g"), seen);

  it("goes where it says and does nothing else", () => {
    const second = press(table, first.state, down("r"), seen);
    expect(first).toMatchObject({ action: null, swallowed: true });
    expect(second).toEqual({ state: null, action: "go-review", swallowed: true });
  });

  it("swallows a second key that means nothing here, even if it is a verdict", () => {
    expect(press(table, first.state, down("y"), seen)).toEqual({
      state: null,
      action: null,
      swallowed: true,
    });
  });

  it("is forgotten after a while", () => {
    expect(press(table, first.state, down("y", { at: LATER + SEQUENCE_MS + 1 }), seen).action).toBe("pass");
  });
});

describe("rule 7: one table per screen", () => {
  it("gives every key one meaning on every screen", () => {
    for (const screen of [REVIEW_KEYS, TRACES_KEYS, TRACE_KEYS, MEMORIES_KEYS, MEMORY_KEYS, RETRIEVE_KEYS]) {
      expect(faults([...GLOBAL_KEYS, ...screen])).toEqual([]);
    }
  });

  it("would notice two meanings, and a key that also begins a sequence", () => {
    expect(
      faults([
        { action: "a", keys: ["x"] },
        { action: "b", keys: ["x"] },
      ]),
    ).toHaveLength(1);
    expect(
      faults([
        { action: "a", keys: ["g"] },
        { action: "b", keys: ["g r"] },
      ]),
    ).toHaveLength(1);
  });
});

it("tells a capital letter from its key with Shift", () => {
  expect(does(down("N", { shift: true }))).toBe("fail-silently");
  expect(does(down("n"))).toBe("fail");
  expect(does(down("N"))).toBe("fail");
});

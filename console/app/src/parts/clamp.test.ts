// The beginning of a long text.
import { expect, it } from "vitest";
import { clamp, excerpt } from "./clamp";

it("cuts whole lines if possible, and no surrogate pair", () => {
  expect(clamp("a\nb\nc", 2)).toEqual({ text: "a\nb", cut: true });
  expect(clamp("ab😀", 1, 3)).toEqual({ text: "ab", cut: true });
});

it("cuts the text of a message between words, with an ellipsis", () => {
  expect(excerpt("Refund  the\norder", 60)).toBe("Refund the order");
  expect(excerpt("Refund the order that arrived broken", 24)).toBe("Refund the order that…");
  expect(excerpt("Refund the order, then reply", 17)).toBe("Refund the order…");
  expect(excerpt("x".repeat(30), 10)).toBe(`${"x".repeat(10)}…`);
});

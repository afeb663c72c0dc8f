// What hides in a text must show.
import { expect, it } from "vitest";
import { shown } from "./reveal";

it("marks characters that turn text around", () => {
  expect(shown("user\u202etxt.exe")).toBe("user⟨U+202E⟩txt.exe");
  expect(shown("a\u2066b\u2069")).toBe("a⟨U+2066⟩b⟨U+2069⟩");
});

it("marks characters that cannot be seen, also those that hide ASCII", () => {
  expect(shown("pass\u200bword")).toBe("pass⟨U+200B⟩word");
  expect(shown("a\u{e0041}")).toBe("a⟨U+E0041⟩");
  expect(shown("a\u0000b")).toBe("a⟨U+0000⟩b");
});

it("drops terminal colours and titles", () => {
  expect(shown("\u001b[31mred\u001b[0m \u001b]0;title\u0007end")).toBe("red end");
});

it("leaves ordinary text of any script alone", () => {
  for (const text of ["line\n\ttab", "नमस्ते", "שלום עולם", "👩‍👩‍👧 ❤️ 👍🏽", "naïve — “quoted”"]) {
    expect(shown(text)).toBe(text);
  }
});

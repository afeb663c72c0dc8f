// Invisible text is made visible.
import { expect, it } from "vitest";
import { shown } from "./reveal";

it("marks bidirectional controls", () => {
  expect(shown("user\u202etxt.exe")).toBe("user⟨U+202E⟩txt.exe");
  expect(shown("a\u2066b\u2069")).toBe("a⟨U+2066⟩b⟨U+2069⟩");
});

it("marks invisible characters, also those that hide ASCII", () => {
  expect(shown("pass\u200bword")).toBe("pass⟨U+200B⟩word");
  expect(shown("a\u{e0041}")).toBe("a⟨U+E0041⟩");
  expect(shown("a\u0000b")).toBe("a⟨U+0000⟩b");
  expect(shown("a\ufe0fb\u{e0100}")).toBe("a⟨U+FE0F⟩b⟨U+E0100⟩");
});

it("keeps emoji whole and lets none of them hide a message", () => {
  const flag = "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
  for (const text of ["👩🏽\u200d🚀", "❤\ufe0f\u200d🔥", "1\ufe0f\u20e3", "🇳🇴", flag, "می\u200cخواهم"]) {
    expect(shown(text)).toBe(text);
  }
  expect(shown("🏴\u{e0068}\u{e0069}")).toBe("🏴⟨U+E0068⟩⟨U+E0069⟩");
  expect(shown("❤\ufe0f\ufe0f")).toBe("❤\ufe0f⟨U+FE0F⟩");
  expect(shown("🦀\u200da")).toBe("🦀⟨U+200D⟩a");
});

it("removes terminal colours and titles", () => {
  expect(shown("\u001b[31mred\u001b[0m \u001b]0;title\u0007end")).toBe("red end");
});

it("does not change ordinary text of any script", () => {
  for (const text of ["line\n\ttab", "नमस्ते", "שלום עולם", "👩‍👩‍👧 ❤️ 👍🏽", "naïve — “quoted”"]) {
    expect(shown(text)).toBe(text);
  }
});

// What a run may make the page do: nothing.
import { expect, it } from "vitest";
import { safeLink, safePicture } from "./links";
import { tooMuch } from "./markdown-limits";
import { clamp, sizeLabel } from "./measure";

it("follows only links to the web and to mail addresses", () => {
  for (const bad of [
    "javascript:alert(1)",
    " javascript:alert(1)",
    "JaVaScRiPt:x",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "/settings",
    "//evil.example",
    "blob:http://x",
    undefined,
  ]) {
    expect(safeLink(bad, "click"), String(bad)).toBeNull();
  }
  expect(safeLink("https://example.com/a", "https://example.com/a")).toEqual({
    href: "https://example.com/a",
    host: null,
  });
});

it("prints where a link leads when its text says otherwise", () => {
  expect(safeLink("https://evil.example/x", "https://bank.example")?.host).toBe("evil.example");
  expect(safeLink("https://bank.example.evil.example/", "bank.example")?.host).toBe(
    "bank.example.evil.example",
  );
  expect(safeLink("mailto:a@b.example", "write us")?.host).toBe("a@b.example");
});

it("shows pictures only from inside the text, and no SVG", () => {
  expect(safePicture("data:image/png;base64,iVBORw0KGgo=")).toBe(true);
  for (const bad of [
    "https://evil.example/x.png",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "data:text/html;base64,PGI+",
    undefined,
    `data:image/png;base64,${"A".repeat(2_000_000)}`,
  ]) {
    expect(safePicture(bad)).toBe(false);
  }
});

it("does not render what is too long or too deep", () => {
  expect(tooMuch("x".repeat(150_001))).toMatch(/longer/);
  expect(tooMuch(">".repeat(5000))).toMatch(/deeper/);
  expect(tooMuch("> ".repeat(5000))).toMatch(/deeper/);
  expect(tooMuch("[".repeat(5000))).toMatch(/deeper/);
  expect(tooMuch("*".repeat(3000) + "a")).toMatch(/deeper/);
  expect(tooMuch("- ".repeat(400) + "a")).toMatch(/deeper/);
  expect(tooMuch(" ".repeat(3000) + "- a")).toMatch(/deeper/);
  expect(tooMuch("# Title\n\n- one\n- two\n\n> quoted\n\n---\n[a](b) [c](d)")).toBeNull();
});

it("cuts at whole lines and never through a character", () => {
  expect(clamp("a\nb\nc", 2)).toEqual({ text: "a\nb", cut: true });
  expect(clamp("a\nb", 2)).toEqual({ text: "a\nb", cut: false });
  expect(clamp("ab😀", 9, 3)).toEqual({ text: "ab", cut: true });
});

it("names sizes", () => {
  expect([sizeLabel(12), sizeLabel(186_368), sizeLabel(1.5 * 1024 * 1024)]).toEqual([
    "12 bytes",
    "182 kB",
    "1.5 MB",
  ]);
});

// Safety of content from runs.
import { expect, it } from "vitest";
import { safeLink, safePicture } from "./links";
import { limitExceeded } from "./markdown-limits";
import { clamp, sizeLabel } from "./clamp";

it("allows only web and mail links", () => {
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

it("shows the target of a link with a misleading text", () => {
  expect(safeLink("https://evil.example/x", "https://bank.example")?.host).toBe("evil.example");
  expect(safeLink("https://bank.example.evil.example/", "bank.example")?.host).toBe(
    "bank.example.evil.example",
  );
  expect(safeLink("mailto:a@b.example", "write us")?.host).toBe("a@b.example");
});

it("shows only embedded images, and no SVG", () => {
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

it("does not render texts that are too long or too deep", () => {
  expect(limitExceeded("x".repeat(150_001))).toMatch(/longer/);
  expect(limitExceeded(">".repeat(5000))).toMatch(/deeper/);
  expect(limitExceeded("> ".repeat(5000))).toMatch(/deeper/);
  expect(limitExceeded("[".repeat(5000))).toMatch(/deeper/);
  expect(limitExceeded("*".repeat(3000) + "a")).toMatch(/deeper/);
  expect(limitExceeded("- ".repeat(400) + "a")).toMatch(/deeper/);
  expect(limitExceeded(" ".repeat(3000) + "- a")).toMatch(/deeper/);
  expect(limitExceeded("# Title\n\n- one\n- two\n\n> quoted\n\n---\n[a](b) [c](d)")).toBeNull();
});

it("cuts at whole lines and never inside a character", () => {
  expect(clamp("a\nb\nc", 2)).toEqual({ text: "a\nb", cut: true });
  expect(clamp("a\nb", 2)).toEqual({ text: "a\nb", cut: false });
  expect(clamp("ab😀", 9, 3)).toEqual({ text: "ab", cut: true });
});

it("formats sizes", () => {
  expect([sizeLabel(12), sizeLabel(186_368), sizeLabel(1.5 * 1024 * 1024)]).toEqual([
    "12 bytes",
    "182 kB",
    "1.5 MB",
  ]);
});

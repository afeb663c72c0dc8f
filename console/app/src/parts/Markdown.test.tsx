// @vitest-environment jsdom
// Hostile Markdown, rendered.
import { cleanup, render } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import Markdown from "./Markdown";

afterEach(cleanup);

const drawn = (text: string) => render(<Markdown text={text} />).container;

it("drops HTML", () => {
  const page = drawn(
    'before <script>alert(1)</script> <img src=x onerror=alert(1)> <b>bold</b>\n\n<iframe src="https://evil.example"></iframe> after',
  );
  expect(page.querySelector("script, iframe, img, b")).toBeNull();
  expect(page.textContent).toContain("before");
});

it("loads no remote image and shows its address instead", () => {
  const page = drawn("![secret](https://evil.example/p.png?d=1)");
  expect(page.querySelector("img")).toBeNull();
  expect(page.textContent).toContain("https://evil.example/p.png?d=1");
});

it("shows a small embedded image", () => {
  expect(drawn("![dot](data:image/png;base64,iVBORw0KGgo=)").querySelector("img")).not.toBeNull();
  expect(drawn("![dot](data:image/svg+xml;base64,PHN2Zz4=)").querySelector("img")).toBeNull();
});

it("makes no unsafe links, and shows the target of the others", () => {
  expect(drawn("[x](javascript:alert(1))").querySelector("a")).toBeNull();
  const link = drawn("[your bank](https://evil.example/)").querySelector("a");
  expect(link?.rel).toBe("noopener noreferrer nofollow");
  expect(link?.textContent).toBe("your bank (evil.example)");
});

it("marks bidirectional controls, also inside links", () => {
  expect(drawn("a\u202eb").textContent).toContain("⟨U+202E⟩");
});

it("creates no headings", () => {
  expect(drawn("# Big").querySelector("h1, h2, h3, h4, h5, h6")).toBeNull();
});

it("survives thousands of nested quotes", () => {
  const page = drawn(`${"> ".repeat(5000)}deep`);
  expect(page.textContent).toContain("Shown as plain text");
});

// @vitest-environment jsdom
// Rule 5 for keyboard reviews: the button shows its key, and both do the same.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { createRef, useRef } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { KeyProvider, useScreenKeys } from "../../keys/KeyProvider";
import { setKeyPreferences } from "../../keys/preferences";
import { globalKeys } from "../../shell/actions";
import type { Mode } from "./session";
import { reviewKeys } from "./keys";
import { rememberFeedback } from "./recent-feedback";
import { queued } from "./samples";
import { VerdictPanel } from "./VerdictPanel";

const done = vi.fn<(action: string) => void>();
const HANDLERS = Object.fromEntries(reviewKeys().map((spec) => [spec.action, () => done(spec.action)]));

function Panel(props: { mode: Mode; shown: number | null; draft: string }) {
  const shownSince = useRef(props.shown);
  useScreenKeys(reviewKeys(), HANDLERS, shownSince);
  return (
    <VerdictPanel
      project="p"
      item={{ trace: queued("a"), decision: null }}
      mode={props.mode}
      draft={props.draft}
      field={createRef()}
      onWrite={(text) => done(text)}
    />
  );
}

const draw = (mode: Mode = "reading", shown: number | null = -1000, draft = "") =>
  render(
    <KeyProvider specs={globalKeys()} handlers={{}}>
      <Panel mode={mode} shown={shown} draft={draft} />
    </KeyProvider>,
  );

afterEach(() => {
  cleanup();
  done.mockReset();
  setKeyPreferences({ singleKeys: true, own: {} });
  localStorage.clear();
});

it("shows the key on every button", () => {
  draw();
  for (const [name, key] of [
    ["Pass", "Y"],
    ["Fail", "N"],
    ["Defer", "D"],
    ["Skip", "S"],
    ["Undo", "U"],
  ]) {
    expect(screen.getByRole("button", { name }).querySelector("kbd")?.textContent).toBe(key);
  }
});

it("shows a custom key", () => {
  setKeyPreferences({ own: { pass: ["p"] } });
  draw();
  expect(screen.getByRole("button", { name: "Pass" }).querySelector("kbd")?.textContent).toBe("P");
  fireEvent.keyDown(document.body, { key: "p" });
  expect(done).toHaveBeenCalledExactlyOnceWith("pass");
});

it("runs the action of the button by key, but not while the user types feedback", () => {
  draw();
  fireEvent.keyDown(document.body, { key: "y" });
  fireEvent.keyDown(screen.getByRole("textbox", { name: "Feedback" }), { key: "n" });
  expect(done.mock.calls).toEqual([["pass"]]);
});

it("gives no verdict before the run is painted, nor while an overlay is open", () => {
  draw("reading", null);
  fireEvent.keyDown(document.body, { key: "y" });
  cleanup();
  draw();
  const sheet = document.createElement("div");
  sheet.dataset.overlay = "";
  document.body.append(sheet);
  fireEvent.keyDown(document.body, { key: "y" });
  sheet.remove();
  expect(done).not.toHaveBeenCalled();
});

it("asks for the duration of a deferral, with its own keys", () => {
  draw("deferring");
  expect(screen.getByRole("button", { name: "Tomorrow" }).querySelector("kbd")?.textContent).toBe("T");
});

it("has a button that sends a fail with feedback, and one that sends it without", () => {
  draw();
  expect(screen.queryByRole("button", { name: "Send" })).toBeNull();
  cleanup();
  draw("failing");
  fireEvent.click(screen.getByRole("button", { name: "Send" }));
  fireEvent.click(screen.getByRole("button", { name: "Send without feedback" }));
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(done.mock.calls.flat()).toEqual(["submit", "fail-silently", "cancel"]);
  cleanup();
  draw("failing", -1000, "wrong sum");
  expect(screen.queryByRole("button", { name: "Send without feedback" })).toBeNull();
});

it("inserts recent feedback", () => {
  rememberFeedback("p", "Look the price up.");
  draw("failing", -1000, "Wrong.");
  fireEvent.click(screen.getByRole("button", { name: "Look the price up." }));
  expect(done).toHaveBeenCalledExactlyOnceWith("Wrong. Look the price up.");
});

// @vitest-environment jsdom
// Rule 5 for keyboard reviews: the button shows its key, and both do the same.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { createRef, useRef } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { KeyProvider, useScreenKeys } from "../../keys/KeyProvider";
import { setKeyPreferences } from "../../keys/preferences";
import { GLOBAL_KEYS } from "../../shell/actions";
import type { Mode } from "./session";
import { REVIEW_KEYS } from "./keys";
import { queued } from "./samples";
import { VerdictPanel } from "./VerdictPanel";

const done = vi.fn<(action: string) => void>();
const HANDLERS = Object.fromEntries(REVIEW_KEYS.map((spec) => [spec.action, () => done(spec.action)]));

function Panel(props: { mode: Mode; shown: number | null }) {
  const shownSince = useRef(props.shown);
  useScreenKeys(REVIEW_KEYS, HANDLERS, shownSince);
  return (
    <VerdictPanel
      project="p"
      item={{ trace: queued("a"), decision: null }}
      mode={props.mode}
      draft=""
      field={createRef()}
      onWrite={() => undefined}
    />
  );
}

const draw = (mode: Mode = "reading", shown: number | null = -1000) =>
  render(
    <KeyProvider specs={GLOBAL_KEYS} handlers={{}}>
      <Panel mode={mode} shown={shown} />
    </KeyProvider>,
  );

afterEach(() => {
  cleanup();
  done.mockReset();
  setKeyPreferences({ singleKeys: true, own: {} });
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

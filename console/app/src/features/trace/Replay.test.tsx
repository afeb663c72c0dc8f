// @vitest-environment jsdom
// Keys faster than the rendering: no step is lost, and text typed for the search goes nowhere else.
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { createRef } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { KeyProvider } from "../../keys/KeyProvider";
import { Replay, type ReplayHandle } from "./Replay";
import type { LoadedSteps } from "./useSteps";

const FIRST = { total: 9, steps: [], kinds: [], failed: [4, 7], from: 0, to: 9 };
const steps = vi.hoisted(() => ({ now: {} as object }));
vi.mock("./useSteps", () => ({ useSteps: () => steps.now }));
vi.mock("./Conversation", () => ({ Conversation: () => null }));
const know = (first: object | undefined) => {
  const known: Partial<LoadedSteps> = { problem: null, known: new Map(), load: () => {} };
  steps.now = { ...known, first };
};
const passed = vi.fn<() => void>();
const KEYS = [{ action: "pass", label: "Pass", group: "Verdict", keys: ["y"] }];

afterEach(() => {
  cleanup();
  passed.mockReset();
});

function page(find: boolean, onMove: (to: (at: number) => number) => void = () => {}) {
  const handle = createRef<ReplayHandle>();
  const replay = (
    <KeyProvider specs={KEYS} handlers={{ pass: passed }}>
      <Replay
        project="p"
        trace="t"
        view="conversation"
        onView={() => {}}
        at={0}
        onMove={onMove}
        handle={handle}
        find={find}
      />
    </KeyProvider>
  );
  return { handle, replay };
}

it("counts every key press before the first step is rendered", () => {
  know(FIRST);
  let at = 0;
  const { handle, replay } = page(false, (to) => (at = to(at)));
  render(replay);
  for (let n = 0; n < 3; n += 1) handle.current?.move(1);
  expect(at).toBe(3);
  handle.current?.nextError();
  handle.current?.nextError();
  expect(at).toBe(7);
  handle.current?.move(99);
  expect(at).toBe(8);
});

it("keeps the step of the URL while no step is loaded", () => {
  know(undefined);
  const moved = vi.fn<() => void>();
  const { handle, replay } = page(false, moved);
  render(replay);
  handle.current?.move(1);
  handle.current?.nextError();
  expect(moved).not.toHaveBeenCalled();
});

it("captures text for the search as soon as it was opened", () => {
  know(undefined);
  const { replay } = page(true);
  const { rerender } = render(replay);
  fireEvent.keyDown(document.body, { key: "y" });
  expect(passed).not.toHaveBeenCalled();
  know(FIRST);
  rerender(page(true).replay);
  expect(document.activeElement).toBe(screen.getByRole("searchbox"));
});

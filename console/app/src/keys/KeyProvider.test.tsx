// @vitest-environment jsdom
// Keys pressed while pages change: none is lost, and a sequence continues.
import { cleanup, fireEvent, render } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { type ActionSpec, KeyProvider, useScreenKeys } from "./KeyProvider";

const GLOBAL: readonly ActionSpec[] = [{ action: "go", label: "Go", group: "Go to", keys: ["g r"] }];
/** A new array in each render, as tables with texts are. */
const own = (): readonly ActionSpec[] => [{ action: "own", label: "Own", group: "Screen", keys: ["x"] }];
const done = vi.fn<(action: string) => void>();

function Screen() {
  useScreenKeys(own(), { own: () => done("own") });
  return null;
}

const shell = (screen: boolean) => (
  <KeyProvider specs={GLOBAL} handlers={{ go: () => done("go") }}>
    {screen ? <Screen /> : null}
  </KeyProvider>
);
const press = (key: string) => fireEvent.keyDown(document.body, { key });

afterEach(() => {
  cleanup();
  done.mockReset();
});

it("finishes a sequence that was started before the page was mounted", () => {
  const { rerender } = render(shell(false));
  press("g");
  rerender(shell(true));
  press("r");
  expect(done).toHaveBeenCalledExactlyOnceWith("go");
});

it("handles the keys of a page from its first to its last paint", () => {
  const { rerender } = render(shell(false));
  press("x");
  expect(done).not.toHaveBeenCalled();
  rerender(shell(true));
  press("x");
  expect(done).toHaveBeenCalledExactlyOnceWith("own");
  rerender(shell(false));
  press("x");
  expect(done).toHaveBeenCalledTimes(1);
});

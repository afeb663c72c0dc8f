// @vitest-environment jsdom
// A preloaded dialog: rendered at once, and it blocks nothing before.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { KeyProvider } from "../keys/KeyProvider";
import { preload } from "./preload";

const Sheet = (props: { text: string }) => <p>{props.text}</p>;
const done = vi.fn<() => void>();
const KEYS = [{ action: "pass", label: "Pass", group: "Verdict", keys: ["y"] }];

afterEach(() => {
  cleanup();
  done.mockReset();
});

it("is rendered with the key press once it is loaded", async () => {
  const [Ahead, fetchIt] = preload(async () => Sheet);
  await act(async () => fetchIt());
  render(<Ahead text="here" />);
  expect(screen.queryByText("here")).not.toBeNull();
});

it("captures the keys while it loads", async () => {
  let arrive: ((sheet: typeof Sheet) => void) | undefined;
  const [Ahead] = preload(() => new Promise<typeof Sheet>((resolve) => (arrive = resolve)));
  const page = (open: boolean) => (
    <KeyProvider specs={KEYS} handlers={{ pass: done }}>
      {open ? <Ahead text="here" /> : null}
    </KeyProvider>
  );
  const { rerender } = render(page(true));
  fireEvent.keyDown(document.body, { key: "y" });
  expect(done).not.toHaveBeenCalled();
  await act(async () => arrive?.(Sheet));
  expect(await screen.findByText("here")).not.toBeNull();
  rerender(page(false));
  fireEvent.keyDown(document.body, { key: "y" });
  expect(done).toHaveBeenCalledTimes(1);
});

it("is loaded again if preloading failed", async () => {
  const load = vi.fn<() => Promise<typeof Sheet>>().mockRejectedValueOnce(new Error("no line"));
  load.mockResolvedValue(Sheet);
  const [Ahead, fetchIt] = preload(load);
  await act(async () => fetchIt());
  render(<Ahead text="here" />);
  expect(await screen.findByText("here")).not.toBeNull();
});

// @vitest-environment jsdom
// A sheet that is fetched ahead: there at once, and in nobody's way while it is not.
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { KeyProvider } from "../keys/KeyProvider";
import { ahead } from "./ahead";

const Sheet = (props: { text: string }) => <p>{props.text}</p>;
const done = vi.fn<() => void>();
const KEYS = [{ action: "pass", label: "Pass", group: "Verdict", keys: ["y"] }];

afterEach(() => {
  cleanup();
  done.mockReset();
});

it("is drawn with the key that asks for it once it was fetched", async () => {
  const [Ahead, fetchIt] = ahead(async () => Sheet);
  await act(async () => fetchIt());
  render(<Ahead text="here" />);
  expect(screen.queryByText("here")).not.toBeNull();
});

it("takes the keys for as long as it is on its way", async () => {
  let arrive: ((sheet: typeof Sheet) => void) | undefined;
  const [Ahead] = ahead(() => new Promise<typeof Sheet>((resolve) => (arrive = resolve)));
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

it("is fetched again when it could not be fetched ahead", async () => {
  const load = vi.fn<() => Promise<typeof Sheet>>().mockRejectedValueOnce(new Error("no line"));
  load.mockResolvedValue(Sheet);
  const [Ahead, fetchIt] = ahead(load);
  await act(async () => fetchIt());
  render(<Ahead text="here" />);
  expect(await screen.findByText("here")).not.toBeNull();
});

// @vitest-environment jsdom
// The desk and its server, when answers overtake each other.
import "fake-indexeddb/auto";
import { beforeEach, expect, it, vi } from "vitest";
import { conclude, undo } from "./decide";
import { open } from "./desk";
import { queued } from "./samples";
import { DeskStore } from "./store";

type Call = { path: string; sent: { trace_ids?: string[] }; give: (answer: object) => void };
const calls = vi.hoisted(() => [] as Call[]);
vi.mock("../../api/client", () => {
  const ask = (path: string, { body }: { body: Call["sent"] }) =>
    new Promise((give) => calls.push({ path, sent: body, give }));
  return { api: { POST: ask, DELETE: ask }, body: (answer: unknown) => answer };
});

/** The oldest call of a path that has no answer yet. */
const call = (path: string) =>
  vi.waitFor(() => {
    const place = calls.findIndex((one) => one.path.endsWith(path));
    if (place === -1) throw new Error(`nobody called ${path}`);
    return calls.splice(place, 1)[0] as Call;
  });

let store: DeskStore;
beforeEach(() => {
  calls.length = 0;
  store = new DeskStore("p");
});

const given = async (...ids: string[]) =>
  (await call("/next")).give({ items: ids.map((id) => queued(id)), remaining: 0 });

it("asks again for what was said to be there while an empty answer was on its way", async () => {
  store.fill();
  const first = await call("/next");
  store.change({ kind: "refilled" });
  first.give({ items: [], remaining: 0 });
  await given("late");
  await vi.waitFor(() => expect(open(store.desk)).toEqual(["late"]));
});

it("keeps a run whose verdict is being taken back, whatever the server knows of its lease", async () => {
  store.fill();
  await given("a", "b", "c", "d");
  await vi.waitFor(() => expect(open(store.desk)).toHaveLength(4));
  conclude(store, "fail");
  (await call("/review")).give({ review: { id: "r", learns_at: null } });
  await given();
  undo(store);
  expect(store.desk.at).toBe("a");

  const renewing = store.renew();
  const renewal = await call("/leases");
  expect(renewal.sent.trace_ids).toEqual(["b", "c", "d"]);
  renewal.give({ held: [{ trace_id: "b" }, { trace_id: "c" }] });
  await renewing;
  expect(open(store.desk)).toEqual(["a", "b", "c"]);
  expect(store.desk.at).toBe("a");
});

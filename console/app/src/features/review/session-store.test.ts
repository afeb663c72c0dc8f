// @vitest-environment jsdom
// The review session and its server, with responses out of order.
import "fake-indexeddb/auto";
import { beforeEach, expect, it, vi } from "vitest";
import { recordVerdict, undo } from "./decide";
import { openTraces } from "./session";
import { queued } from "./samples";
import { SessionStore } from "./session-store";

type Call = { path: string; sent: { trace_ids?: string[] }; give: (answer: object) => void };
const calls = vi.hoisted(() => [] as Call[]);
vi.mock("../../api/client", () => {
  const ask = (path: string, { body }: { body: Call["sent"] }) =>
    new Promise((give) => calls.push({ path, sent: body, give }));
  return { api: { POST: ask, DELETE: ask }, body: (answer: unknown) => answer };
});

/** The oldest call of a path without a response. */
const call = (path: string) =>
  vi.waitFor(() => {
    const place = calls.findIndex((one) => one.path.endsWith(path));
    if (place === -1) throw new Error(`no call of ${path}`);
    return calls.splice(place, 1)[0] as Call;
  });

let store: SessionStore;
beforeEach(() => {
  calls.length = 0;
  store = new SessionStore("p");
});

const given = async (...ids: string[]) =>
  (await call("/next")).give({ items: ids.map((id) => queued(id)), remaining: 0 });

it("requests again if new runs were reported while an empty response was in flight", async () => {
  store.fill();
  const first = await call("/next");
  store.change({ kind: "refilled" });
  first.give({ items: [], remaining: 0 });
  await given("late");
  await vi.waitFor(() => expect(openTraces(store.session)).toEqual(["late"]));
});

it("keeps a run whose verdict is being withdrawn, regardless of its lease on the server", async () => {
  store.fill();
  await given("a", "b", "c", "d");
  await vi.waitFor(() => expect(openTraces(store.session)).toHaveLength(4));
  recordVerdict(store, "fail");
  (await call("/review")).give({ review: { id: "r", learns_at: null } });
  await given();
  undo(store);
  expect(store.session.at).toBe("a");

  const renewing = store.renew();
  const renewal = await call("/leases");
  expect(renewal.sent.trace_ids).toEqual(["b", "c", "d"]);
  renewal.give({ held: [{ trace_id: "b" }, { trace_id: "c" }] });
  await renewing;
  expect(openTraces(store.session)).toEqual(["a", "b", "c"]);
  expect(store.session.at).toBe("a");
});

it("shows a failed request even if the session did not change", async () => {
  const before = store.view;
  let renders = 0;
  store.subscribe(() => (renders += 1));
  store.fill();
  (await call("/next")).give(Promise.reject(new Error("invalid filter")));
  await vi.waitFor(() => expect(renders).toBe(1));
  expect(store.view).not.toBe(before);
  expect(store.view.problem?.message).toBe("invalid filter");

  store.setQuery({ order: "newest", q: "" });
  expect(store.view.problem).toBeNull();
});

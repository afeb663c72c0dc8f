/** Runs on disk: what a killed process, a damaged file and a full disk leave. */

import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import type { SpoolJournal, SpoolPlace } from "../../src/index.js";
import { diskSpool, type DiskSpoolOptions } from "../../src/node/index.js";
import { hasEnded, parseOwner, thisOwner } from "../../src/node/owner.js";
import { clientOf } from "../support/client.js";
import { FakeServer, refusal, working } from "../support/fake-server.js";

const CHILD = fileURLToPath(new URL("../support/spool-child.js", import.meta.url));
const encoder = new TextEncoder();

/** A folder for one test. */
class Folder implements Disposable {
  readonly path = fs.mkdtempSync(join(tmpdir(), "reflect-spool-"));

  readonly warnings: string[] = [];

  open(options: DiskSpoolOptions = {}): SpoolJournal {
    return diskSpool({ folder: this.path, ...options })!.open("destination", (message) =>
      this.warnings.push(message),
    );
  }

  /** The spool files. */
  get files(): string[] {
    return fs
      .readdirSync(this.path)
      .flatMap((name) => fs.readdirSync(join(this.path, name)).map((file) => join(this.path, name, file)));
  }

  [Symbol.dispose](): void {
    fs.rmSync(this.path, { recursive: true });
  }
}

function append(journal: SpoolJournal, traceId: string, more = ""): SpoolPlace | undefined {
  return journal.append({ traceId, body: encoder.encode(JSON.stringify({ trace_id: traceId, more })) });
}

/** The ids of all runs that can be taken over. */
function adopted(journal: SpoolJournal): string[] {
  const ids: string[] = [];
  for (let found = journal.adopt(); found !== undefined; found = journal.adopt()) {
    for (const place of found.places) {
      assert.equal(JSON.parse(Buffer.from(journal.read(place)!).toString()).trace_id, place.traceId);
      ids.push(place.traceId);
    }
  }
  return ids.toSorted();
}

/** Another process, which stores runs and is killed or waits. */
async function child(folder: Folder, count: number, how: "kill" | "wait"): Promise<ChildProcess> {
  const own = process.versions["bun"] !== undefined || process.versions["deno"] !== undefined;
  const started = spawn(process.execPath, [
    ...(own ? ["run", ...denoFlags()] : []),
    CHILD,
    folder.path,
    String(count),
    how,
  ]);
  const ended = new Promise((resolve) => started.once("exit", resolve));
  await new Promise((resolve) => started.stdout.once("data", resolve));
  if (how === "kill") await ended;
  return started;
}

const denoFlags = (): string[] => (process.versions["deno"] === undefined ? [] : ["--allow-all"]);

async function stop(process: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => process.once("exit", resolve));
  process.stdin!.end();
  await ended;
}

test("a run can be read until it is settled, and then its file is empty", () => {
  using folder = new Folder();
  const journal = folder.open();
  const places = ["a", "b"].map((id) => append(journal, id)!);
  assert.equal(Buffer.from(journal.read(places[1]!)!).toString(), '{"trace_id":"b","more":""}');
  journal.settle(places);
  assert.equal(folder.files.length, 1);
  assert.equal(fs.readFileSync(folder.files[0]!, "utf8"), "reflect-runs 1\n");
  journal.release();
  assert.deepEqual(folder.files, []);
});

test("files can be read only by their user", { skip: process.platform === "win32" }, () => {
  using folder = new Folder();
  append(folder.open(), "a");
  assert.equal(fs.statSync(folder.files[0]!).mode & 0o777, 0o600);
  assert.equal(fs.statSync(join(folder.files[0]!, "..")).mode & 0o777, 0o700);
});

test("what a killed process left is taken over once, without what was settled", async () => {
  using folder = new Folder();
  await child(folder, 5, "kill");
  const [one, other] = [folder.open(), folder.open()];
  const found = one.adopt()!;
  assert.equal(found.places.length, 5);
  assert.equal(other.adopt(), undefined);
  one.settle(found.places.slice(0, 2));
  one.release();
  assert.equal(adopted(other).length, 3);
});

test("what a process that runs has stored is not taken over", async () => {
  using folder = new Folder();
  const running = await child(folder, 3, "wait");
  const journal = folder.open();
  assert.deepEqual(adopted(journal), []);
  await stop(running);
  assert.equal(adopted(journal).length, 3);
});

test("a process does not take over its own files, until they are released", () => {
  using folder = new Folder();
  const [one, other] = [folder.open(), folder.open()];
  append(one, "a");
  assert.deepEqual(adopted(other), []);
  assert.deepEqual(adopted(one), []);
  one.release();
  assert.deepEqual(adopted(other), ["a"]);
});

test("a process id that was used again is another process", { skip: process.platform !== "linux" }, () => {
  const now = Date.now();
  const own = thisOwner();
  assert.equal(hasEnded(own, now), false);
  assert.equal(hasEnded({ ...own, start: "1" }, now), true);
  assert.equal(hasEnded({ ...own, pid: 2 ** 22 + 1 }, now), true);
});

test("a process on another machine has ended if it does not touch its files", () => {
  const elsewhere = { ...thisOwner(), machine: "abc" };
  assert.equal(hasEnded(elsewhere, Date.now() - 60_000), false);
  assert.equal(hasEnded(elsewhere, Date.now() - 3_600_000), true);
  assert.equal(parseOwner("free"), undefined);
});

test("damaged lines are counted, and the other runs are kept", () => {
  using folder = new Folder();
  const journal = folder.open();
  for (const id of ["a", "b", "c"]) append(journal, id);
  journal.release();
  const [path] = folder.files as [string];
  const lines = fs.readFileSync(path, "utf8").split("\n");
  lines[2] = lines[2]!.replace('"b"', '"B"');
  fs.writeFileSync(path, `${lines.join("\n")}r 00000000 1 incompl`);
  const found = journal.adopt()!;
  assert.deepEqual(
    found.places.map(({ traceId }) => traceId),
    ["a", "c"],
  );
  assert.match(folder.warnings[0]!, /has 1 unreadable line/);
});

test("a run whose bytes change on disk is not sent", () => {
  using folder = new Folder();
  const journal = folder.open();
  const place = append(journal, "a", "text")!;
  const [path] = folder.files as [string];
  const data = fs.readFileSync(path, "utf8").replace("text", "lies");
  fs.writeFileSync(path, data);
  assert.equal(journal.read(place), undefined);
});

test("a file of a later version is left alone", () => {
  using folder = new Folder();
  const journal = folder.open();
  append(journal, "a");
  journal.release();
  const [path] = folder.files as [string];
  fs.writeFileSync(path, fs.readFileSync(path, "utf8").replace("reflect-runs 1", "reflect-runs 2"));
  assert.deepEqual(adopted(journal), []);
  assert.equal(folder.files.length, 1);
});

test("a deleted file does not stop the journal", () => {
  using folder = new Folder();
  const journal = folder.open();
  const first = append(journal, "a")!;
  fs.unlinkSync(folder.files[0]!);
  append(journal, "b");
  assert.equal(folder.files.length, 1);
  assert.match(fs.readFileSync(folder.files[0]!, "utf8"), /"b"/);
  journal.settle([first]);
});

test("the limit of the folder is kept, and there is room again after runs are settled", () => {
  using folder = new Folder();
  const journal = folder.open({ maxBytes: 2_000 });
  const places = ["a", "b"].map((id) => append(journal, id, "x".repeat(800))!);
  assert.equal(append(journal, "c", "x".repeat(800)), undefined);
  assert.match(folder.warnings[0]!, /limit of 2000 bytes/);
  journal.settle(places);
  assert.ok(append(journal, "c", "x".repeat(800)));
});

test("a folder that cannot be used is a problem and not an error", () => {
  using folder = new Folder();
  const file = join(folder.path, "file");
  fs.writeFileSync(file, "");
  const journal = folder.open({ folder: file });
  assert.equal(append(journal, "a"), undefined);
  assert.match(folder.warnings[0]!, /Free disk space, or set REFLECT_SPOOL_DIR/);
  assert.equal(journal.adopt(), undefined);
});

test("runs that are too old are dropped and counted", () => {
  using folder = new Folder();
  const journal = folder.open({ maxDays: -1 });
  append(journal, "a");
  journal.release();
  assert.deepEqual(journal.adopt(), { places: [], expired: 1 });
  assert.deepEqual(folder.files, []);
});

test("with fsync, every run is forced to the device", (context) => {
  using folder = new Folder();
  if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return;
  const sync = context.mock.method(fs, "fsyncSync");
  append(folder.open(), "a");
  assert.equal(sync.mock.callCount(), 0);
  append(folder.open({ fsync: "always" }), "b");
  assert.equal(sync.mock.callCount(), 1);
});

test("REFLECT_SPOOL=off disables it", () => {
  process.env["REFLECT_SPOOL"] = "off";
  try {
    assert.equal(diskSpool(), undefined);
  } finally {
    delete process.env["REFLECT_SPOOL"];
  }
});

test("a client sends what another client could not", async () => {
  using folder = new Folder();
  await using server = await FakeServer.start(working());
  const spool = diskSpool({ folder: folder.path });
  const first = clientOf(server, { spool }).client;
  server.handler = () => refusal(503, "unavailable");
  await first.trace("t", (run) => run.step("user", "x"), { retrieve: false });
  assert.equal(first.delivery.spooled, 1);
  assert.equal((await first.shutdown(100)).spooled, 1);
  server.handler = working();
  const second = clientOf(server, { spool }).client;
  assert.equal((await second.flush()).sent, 1);
  assert.equal(second.delivery.adopted, 1);
  await second.shutdown();
  assert.deepEqual(folder.files, []);
});

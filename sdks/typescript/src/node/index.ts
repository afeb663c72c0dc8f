/** What needs Node's modules: `reflect-memory/node`. It also works in Bun and Deno. */

import type { Spool } from "../types.js";
import { defaultRoot } from "./folder.js";
import { Journal } from "./journal.js";

/** The options of `diskSpool`. */
export interface DiskSpoolOptions {
  /** The folder. Default: `REFLECT_SPOOL_DIR`, else the user's folder for the state of applications. */
  folder?: string | undefined;
  /** The maximum size of all files. Default: 256 MiB. */
  maxBytes?: number | undefined;
  /** How many days a run is kept. Default: 7. */
  maxDays?: number | undefined;
  /**
   * `"always"` forces every run to the device before `run.end()` goes on. By default the operating system decides, so
   * a crash of the whole machine can lose the most recent runs; the end of the process cannot.
   */
  fsync?: "never" | "always" | undefined;
}

const MIB = 1024 * 1024;
const DAY = 24 * 3600 * 1000;

/**
 * Keeps runs on disk until the server has acknowledged them. A run is on disk before it ends, so it is not lost if the
 * process is killed: the next process that stores a run in the same project, or calls `flush`, sends it. Several
 * processes may share the folder.
 *
 *     const client = new ReflectClient({ spool: diskSpool() });
 *
 * `REFLECT_SPOOL=off` disables it.
 */
export function diskSpool(options: DiskSpoolOptions = {}): Spool | undefined {
  if (/^(off|0|no|false)$/i.test(process.env["REFLECT_SPOOL"] ?? "")) return undefined;
  const settings = {
    root: options.folder ?? defaultRoot(),
    maxBytes: options.maxBytes ?? 256 * MIB,
    maxAge: (options.maxDays ?? 7) * DAY,
    fsync: options.fsync === "always",
  };
  return { open: (destination, warn) => new Journal(destination, settings, warn) };
}

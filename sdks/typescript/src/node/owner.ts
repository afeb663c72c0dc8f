/**
 * Says which process owns a file, and whether that process has ended.
 *
 * Node has no file locks, so the name of a file contains the identity of its owner: process id, start time, and the
 * machine (boot and process namespace), because process ids are reused, and containers may share a folder.
 */

import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The identity of a process. */
export interface Owner {
  readonly pid: number;
  /** The start time; "0" on systems without /proc. */
  readonly start: string;
  readonly machine: string;
}

// An owner that cannot be looked up, because it is on another machine or in another container, has ended if it has not
// touched its files for this long. Owners touch them once a minute.
const STALE = 10 * 60_000;

let own: Owner | undefined;

/** The identity of this process. */
export function thisOwner(): Owner {
  own ??= { pid: process.pid, start: startOf(process.pid) ?? "0", machine: machineId() };
  return own;
}

/** The identity as a part of a file name. */
export function ownerText({ pid, start, machine }: Owner): string {
  return `${pid}.${start}.${machine}`;
}

/** The identity in a file name; undefined if the file has no owner. */
export function parseOwner(text: string): Owner | undefined {
  const found = /^(\d+)\.(\d+)\.([0-9a-f]+)$/.exec(text);
  return found === null ? undefined : { pid: Number(found[1]), start: found[2]!, machine: found[3]! };
}

/** Whether the process has ended. `touched` is when it last touched its file. */
export function hasEnded(owner: Owner, touched: number): boolean {
  if (owner.machine !== thisOwner().machine) return Date.now() - touched > STALE;
  try {
    // Signal 0 only asks whether the process exists.
    process.kill(owner.pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  const start = startOf(owner.pid);
  // Another process has got the same id.
  return owner.start !== "0" && start !== undefined && start !== owner.start;
}

/** When a process started, in clock ticks since the boot of the machine. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may contain spaces and brackets. The start time is field 22, the 20th after the name.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function machineId(): string {
  let text: string;
  try {
    text = readFileSync("/proc/sys/kernel/random/boot_id", "utf8") + readlinkSync("/proc/self/ns/pid");
  } catch {
    text = hostname();
  }
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** One open spool file. */

import fs from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";

import type { SpoolPlace } from "../types.js";
import { acknowledgementLine, HEADER, HEADER_START, readRunLine, runLine, scan, type Scan } from "./lines.js";
import { hasEnded, ownerText, parseOwner, thisOwner } from "./owner.js";

export const SUFFIX = ".run";

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0 } = fs.constants;
// A symbolic link could point to a file of another user.
const FLAGS = O_RDWR | O_APPEND | O_NOFOLLOW;

/** Where a run is in a file. */
export interface Place extends SpoolPlace {
  readonly segment: Segment;
  readonly offset: number;
  readonly length: number;
}

/** A file that this process owns, with the number of its runs that are not acknowledged. */
export class Segment {
  #path: string;
  readonly #fd: number;
  #size: number;
  #waiting = 0;
  #closed = false;

  private constructor(path: string, fd: number, size: number) {
    this.#path = path;
    this.#fd = fd;
    this.#size = size;
  }

  /** A new file in the folder. */
  static create(folder: string): Segment {
    const path = join(folder, freshName(ownerText(thisOwner())));
    const fd = fs.openSync(path, FLAGS | O_CREAT | O_EXCL, 0o600);
    const made = new Segment(path, fd, 0);
    try {
      made.#write(Buffer.from(HEADER));
    } catch (error) {
      made.remove();
      throw error;
    }
    return made;
  }

  /**
   * Takes over the file of a process that has ended; undefined if its owner is alive, if another process was faster,
   * or if it has another format.
   */
  static adopt(path: string): { segment: Segment; content: Scan; writtenAt: number } | undefined {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    const owner = ownerOf(path);
    if (
      found === undefined ||
      !found.isFile() ||
      (owner !== undefined && hasEnded(owner, found.mtimeMs) === false)
    ) {
      return undefined;
    }
    let fd: number | undefined;
    try {
      const header = Buffer.alloc(HEADER.length);
      fd = fs.openSync(path, FLAGS);
      fs.readSync(fd, header, 0, header.length, 0);
      const text = header.toString();
      // A later version of this package wrote it.
      if (text !== HEADER && text.startsWith(HEADER_START)) throw new Error(`unknown format ${text}`);
      const claimed = join(path, "..", freshName(ownerText(thisOwner())));
      // Only one process can rename it.
      fs.renameSync(path, claimed);
      const { size } = fs.fstatSync(fd);
      const data = Buffer.alloc(size);
      const read = fs.readSync(fd, data, 0, size, 0);
      return {
        segment: new Segment(claimed, fd, size),
        content: scan(data.subarray(0, read)),
        writtenAt: found.mtimeMs,
      };
    } catch {
      if (fd !== undefined) fs.closeSync(fd);
      return undefined;
    }
  }

  get path(): string {
    return this.#path;
  }

  get size(): number {
    return this.#size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Appends a run. Throws if it cannot be written; the file is then as before. */
  append(traceId: string, body: Uint8Array, sync: boolean): Place {
    const line = runLine(traceId, body, Date.now());
    const offset = this.#size;
    this.#write(line);
    if (sync) fs.fsyncSync(this.#fd);
    return this.place(traceId, body.byteLength, offset, line.length);
  }

  /** A run at this place waits for its acknowledgement. */
  place(traceId: string, size: number, offset: number, length: number): Place {
    this.#waiting += 1;
    return { segment: this, traceId, size, offset, length };
  }

  /** The JSON of a run; undefined if it cannot be read. */
  read({ traceId, offset, length }: Place): Uint8Array | undefined {
    const data = Buffer.alloc(length);
    try {
      fs.readSync(this.#fd, data, 0, length, offset);
    } catch {
      return undefined;
    }
    const found = readRunLine(data);
    return found?.traceId === traceId ? found.body : undefined;
  }

  /** Writes that these runs are settled, so that a later process does not send them again. */
  acknowledge(places: readonly Place[]): void {
    this.#waiting -= places.length;
    if (this.#waiting === 0) return;
    try {
      this.#write(acknowledgementLine(places.map((place) => place.offset)));
    } catch {
      // A later process sends them again; the server stores a trace once.
    }
  }

  /** Removes all runs. Only if none of them waits. Creating a new file instead would slow down the next run. */
  empty(): void {
    fs.ftruncateSync(this.#fd, HEADER.length);
    this.#size = HEADER.length;
  }

  /** Whether its file still has its name: the user may have deleted it, and another process may have taken it over. */
  get isOurs(): boolean {
    return fs.statSync(this.#path, { throwIfNoEntry: false }) !== undefined;
  }

  /** Shows other machines that the owner is alive. */
  touch(): void {
    const now = new Date();
    ignoringErrors(() => fs.futimesSync(this.#fd, now, now));
  }

  /** Closes the file. Another process may take it over at once. */
  release(): void {
    if (this.#closed) return;
    ignoringErrors(() => fs.renameSync(this.#path, join(this.#path, "..", freshName("free"))));
    this.#close();
  }

  /** Deletes the file. */
  remove(): void {
    if (this.#closed) return;
    ignoringErrors(() => fs.unlinkSync(this.#path));
    this.#close();
  }

  get closed(): boolean {
    return this.#closed;
  }

  #close(): void {
    this.#closed = true;
    ignoringErrors(() => fs.closeSync(this.#fd));
  }

  #write(data: Buffer): void {
    let written = 0;
    try {
      while (written < data.length) written += fs.writeSync(this.#fd, data, written);
    } catch (error) {
      // A reader skips an incomplete line, but the next line must begin at the end of a complete one.
      ignoringErrors(() => fs.ftruncateSync(this.#fd, this.#size));
      throw error;
    }
    this.#size += data.length;
  }
}

/** The owner in the name of a file; undefined if it has none. */
export function ownerOf(path: string): ReturnType<typeof parseOwner> {
  return parseOwner(/-([^-]+)-[0-9a-f]+\.run$/.exec(path)?.[1] ?? "");
}

function freshName(owner: string): string {
  return `${Date.now().toString(16).padStart(12, "0")}-${owner}-${randomBytes(6).toString("hex")}${SUFFIX}`;
}

function ignoringErrors(body: () => void): void {
  try {
    body();
  } catch {
    // The file may be gone.
  }
}

/** The spool files of one destination that this process owns. */

import { join } from "node:path";

import type { SpoolAdoption, SpoolJournal, SpoolPlace, SpoolRecord } from "../types.js";
import { allFiles, filesIn, folderName, makeFolder, statOf, totalSize } from "./folder.js";
import { Segment, type Place } from "./segment.js";

/** The settings of a spool. */
export interface JournalSettings {
  readonly root: string;
  readonly maxBytes: number;
  /** How long a run is kept, in milliseconds. */
  readonly maxAge: number;
  readonly fsync: boolean;
}

const SEGMENT_BYTES = 8 * 1024 * 1024;
// A full disk may soon have space again; an unusable folder usually stays unusable.
const FULL_PAUSE = 1_000;
const UNUSABLE_PAUSE = 60_000;

/** Appends runs to files, reads them back, and removes files that are completely acknowledged. */
export class Journal implements SpoolJournal {
  readonly #settings: JournalSettings;
  readonly #folder: string;
  #current: Segment | undefined;
  readonly #others = new Set<Segment>();
  /** The size of all files, also those of other processes, when it was last measured. */
  #used: number | undefined;
  #pausedUntil = 0;
  readonly #warn: (message: string, kind: string) => void;

  constructor(destination: string, settings: JournalSettings, warn: (message: string, kind: string) => void) {
    this.#settings = settings;
    this.#warn = warn;
    this.#folder = join(settings.root, folderName(destination));
  }

  append({ traceId, body }: SpoolRecord): Place | undefined {
    if (Date.now() < this.#pausedUntil) return undefined;
    this.#used ??= totalSize(this.#settings.root);
    if (this.#used + body.byteLength > this.#settings.maxBytes) {
      this.#cannotStore(`the files have reached their limit of ${this.#settings.maxBytes} bytes`);
      return undefined;
    }
    try {
      const segment = this.#writable(body.byteLength);
      const before = segment.size;
      const place = segment.append(traceId, body, this.#settings.fsync);
      this.#add(segment.size - before);
      return place;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isFull = code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
      this.#pausedUntil = Date.now() + (isFull ? FULL_PAUSE : UNUSABLE_PAUSE);
      this.#cannotStore(message);
      return undefined;
    }
  }

  read(place: SpoolPlace): Uint8Array | undefined {
    const { segment } = place as Place;
    return segment.closed ? undefined : segment.read(place as Place);
  }

  settle(places: readonly SpoolPlace[]): void {
    const bySegment = new Map<Segment, Place[]>();
    for (const place of places as readonly Place[]) {
      if (place.segment.closed) continue;
      const found = bySegment.get(place.segment);
      if (found === undefined) bySegment.set(place.segment, [place]);
      else found.push(place);
    }
    for (const [segment, settled] of bySegment) {
      const before = segment.size;
      segment.acknowledge(settled);
      if (segment.waiting === 0) this.#finish(segment);
      this.#add((segment.closed ? 0 : segment.size) - before);
    }
  }

  adopt(): SpoolAdoption | undefined {
    try {
      return this.#adoptNext();
    } catch (error) {
      this.#warn(`The spool cannot be read: ${(error as Error).message}.`, "spool unreadable");
      return undefined;
    }
  }

  #adoptNext(): SpoolAdoption | undefined {
    this.#used = totalSize(this.#settings.root);
    for (const segment of this.#owned()) segment.touch();
    for (const path of filesIn(this.#folder)) {
      const found = Segment.adopt(path);
      if (found !== undefined) return this.#takeOver(found);
    }
    const expired = this.#removeOutdated();
    return expired > 0 ? { places: [], expired } : undefined;
  }

  release(): void {
    for (const segment of this.#owned()) {
      if (segment.waiting > 0) segment.release();
      else segment.remove();
    }
    this.#current = undefined;
    this.#others.clear();
  }

  #add(bytes: number): void {
    this.#used = (this.#used ?? 0) + bytes;
  }

  #cannotStore(why: string): void {
    const hint = "Free disk space, or set REFLECT_SPOOL_DIR to another folder.";
    this.#warn(
      `Runs cannot be stored on disk in ${this.#folder} and are in memory only: ${why}. ${hint}`,
      "spool",
    );
  }

  #takeOver({ segment, content }: NonNullable<ReturnType<typeof Segment.adopt>>): SpoolAdoption {
    const oldest = Date.now() - this.#settings.maxAge;
    const kept = content.runs.filter((run) => run.writtenAt >= oldest);
    const places = kept.map((run) => segment.place(run.traceId, run.body.byteLength, run.offset, run.length));
    if (segment.waiting > 0) this.#others.add(segment);
    else segment.remove();
    if (content.damaged > 0) {
      this.#warn(
        `${segment.path} has ${content.damaged} unreadable line(s); the rest of the file is sent.`,
        "damaged",
      );
    }
    return { places, expired: content.runs.length - kept.length };
  }

  /** Removes files of all destinations that could not be sent for too long; returns the number of their runs. */
  #removeOutdated(): number {
    const oldest = Date.now() - this.#settings.maxAge;
    let runs = 0;
    for (const path of allFiles(this.#settings.root)) {
      const touched = statOf(path)?.mtimeMs;
      if (touched === undefined || touched >= oldest) continue;
      const found = Segment.adopt(path);
      runs += found?.content.runs.length ?? 0;
      found?.segment.remove();
    }
    return runs;
  }

  #writable(size: number): Segment {
    if (this.#current?.isOurs === false) this.#retire(this.#current);
    if (
      this.#current !== undefined &&
      this.#current.waiting > 0 &&
      this.#current.size + size > SEGMENT_BYTES
    ) {
      this.#retire(this.#current);
    }
    if (this.#current === undefined) {
      makeFolder(this.#folder);
      this.#current = Segment.create(this.#folder);
      this.#add(this.#current.size);
    }
    return this.#current;
  }

  /** Its runs can still be read and acknowledged, but new runs go to another file. */
  #retire(segment: Segment): void {
    this.#current = undefined;
    if (segment.waiting > 0) this.#others.add(segment);
    else segment.remove();
  }

  /** All of its runs are acknowledged. */
  #finish(segment: Segment): void {
    this.#others.delete(segment);
    if (segment !== this.#current) {
      segment.remove();
      return;
    }
    try {
      segment.empty();
    } catch {
      this.#current = undefined;
      segment.remove();
    }
  }

  #owned(): Segment[] {
    return [...this.#others, ...(this.#current === undefined ? [] : [this.#current])];
  }
}

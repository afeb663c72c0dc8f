/**
 * The format of a spool file: lines of text.
 *
 *     reflect-runs 1
 *     r <checksum> <time in ms> <trace id> <JSON of the run>
 *     a <checksum> <offset>,<offset>,...
 *
 * `r` is a run, `a` acknowledges the runs at these offsets. JSON has no line breaks, so after a damaged section the
 * next line can be read again. The checksum is the CRC-32 of everything after it.
 */

export const HEADER = "reflect-runs 1\n";
export const HEADER_START = "reflect-runs ";

/** A readable run. The JSON ends with the line. */
export interface RunLine {
  readonly offset: number;
  readonly length: number;
  readonly traceId: string;
  readonly writtenAt: number;
  readonly body: Uint8Array;
}

/** What a file contains. */
export interface Scan {
  /** Runs that are not acknowledged. */
  readonly runs: readonly RunLine[];
  /** The number of lines that cannot be read. */
  readonly damaged: number;
}

const NEWLINE = 0x0a;
const SPACE = 0x20;
// Kind, space, checksum, space.
const PREFIX = 11;

/** The line of a run. */
export function runLine(traceId: string, body: Uint8Array, writtenAt: number): Buffer {
  return line("r", Buffer.concat([Buffer.from(`${writtenAt} ${traceId} `), body]));
}

/** The line that acknowledges runs. */
export function acknowledgementLine(offsets: readonly number[]): Buffer {
  return line("a", Buffer.from(offsets.join(",")));
}

/** Reads the lines of a file. */
export function scan(data: Buffer): Scan {
  const runs = new Map<number, RunLine>();
  let damaged = 0;
  let offset = data.indexOf(NEWLINE) + 1;
  while (offset < data.length) {
    const end = data.indexOf(NEWLINE, offset);
    // An incomplete line at the end was being written when the process was killed.
    if (end < 0) break;
    const content = readLine(data.subarray(offset, end));
    if (content === undefined) damaged += 1;
    else if (content.kind === "a")
      for (const at of content.payload.toString().split(",")) runs.delete(Number(at));
    else {
      const run = readRun(content.payload);
      if (run === undefined) damaged += 1;
      else runs.set(offset, { ...run, offset, length: end + 1 - offset });
    }
    offset = end + 1;
  }
  return { runs: [...runs.values()], damaged };
}

/** The run in one line; undefined if it is damaged. */
export function readRunLine(data: Buffer): Pick<RunLine, "traceId" | "writtenAt" | "body"> | undefined {
  const content = data[data.length - 1] === NEWLINE ? readLine(data.subarray(0, -1)) : undefined;
  return content?.kind === "r" ? readRun(content.payload) : undefined;
}

function line(kind: "r" | "a", payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${kind} ${checksum(payload)} `), payload, Buffer.from("\n")]);
}

function readLine(data: Buffer): { kind: string; payload: Buffer } | undefined {
  const prefix = data.subarray(0, PREFIX).toString("latin1");
  const payload = data.subarray(PREFIX);
  const kind = prefix[0];
  if ((kind !== "r" && kind !== "a") || prefix !== `${kind} ${checksum(payload)} `) return undefined;
  return { kind, payload };
}

function readRun(payload: Buffer): Pick<RunLine, "traceId" | "writtenAt" | "body"> | undefined {
  const first = payload.indexOf(SPACE);
  const second = payload.indexOf(SPACE, first + 1);
  if (first < 0 || second < 0) return undefined;
  return {
    writtenAt: Number(payload.subarray(0, first).toString()),
    traceId: payload.subarray(first + 1, second).toString(),
    body: payload.subarray(second + 1),
  };
}

let table: Uint32Array | undefined;

/** The CRC-32 in 8 hexadecimal digits. `zlib.crc32` is not in every supported Node. */
function checksum(data: Uint8Array): string {
  table ??= Uint32Array.from({ length: 256 }, (_, start) => {
    let value = start;
    for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
    return value >>> 0;
  });
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ table[(crc ^ byte) & 0xff]!;
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

/** Trace ids. The client creates them, so a run has its id before it is sent. */

/** A UUID version 7: the current time in milliseconds, then 74 random bits. */
export function newTraceId(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  // The rest of a random UUID, after its version.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

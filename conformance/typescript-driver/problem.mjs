/** Errors in a form that fits into a line. */

import * as reflect from "../../sdks/typescript/dist/index.js";

/** By the class of the error. `unsayable`: the client does not accept the value, and nothing was sent. */
const KINDS = [
  [reflect.APIStatusError, "status"],
  [reflect.IngestFailedError, "ingest_failed"],
  [reflect.WaitTimeoutError, "wait_timeout"],
  [reflect.InvalidArgumentError, "unsayable"],
  [reflect.ReflectError, "other"],
];

/** An error. `protocol`: the line is invalid, which is a bug in the harness. */
export function problemOf(error) {
  const kind = KINDS.find(([type]) => error instanceof type)?.[1] ?? "protocol";
  const { message, status = null, code = null } = error;
  return { kind, message, status, code, reason: message };
}

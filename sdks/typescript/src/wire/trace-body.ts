/** The body of a trace, with the client's names. */

import type { Verdict } from "../run.js";
import type { NewTrace } from "../types.js";

export interface TraceBody extends NewTrace {
  traceId: string;
  review?: Verdict | undefined;
}

/** Delivery of a client's runs: applies the mask, serializes, and passes them to the outbox. */

import { isServerless, type Settings } from "../settings.js";
import type { DeliveryCounters } from "../types.js";
import { VERSION } from "../version.js";
import { toJson } from "../wire/encode.js";
import { send } from "../wire/http.js";
import { maskedJson } from "../wire/mask.js";
import { toContract } from "../wire/names.js";
import type { TraceBody } from "../wire/trace-body.js";
import { Outbox, total } from "./outbox.js";

// How long a run waits until it is sent, on platforms that freeze the process after a request.
const SERVERLESS_WAIT = 2_000;
// How long a platform with `waitUntil` is asked to wait for a run.
const KEEP_ALIVE = 30_000;
const POST_TIMEOUT = 60_000;
const REPORT_INTERVAL = 300_000;

/** The way of a client's runs to its outbox. */
export class Outgoing {
  readonly outbox: Outbox;
  readonly #settings: Settings;
  #reportedAt = 0;
  #reported = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    const { baseUrl, projectId, warn, given } = settings;
    this.outbox = new Outbox({
      baseUrl,
      projectId,
      warn,
      journal: given.spool?.open(`${baseUrl}\0${projectId}`, warn),
      post: (body, signal) => this.#post("traces/batch", body, signal),
      report: (counters) => void this.#report(counters),
    });
  }

  /** Queues a run. Never rejects, and waits only on platforms that freeze the process. */
  async submit(body: TraceBody, waitUntil = this.#settings.given.waitUntil): Promise<void> {
    this.enqueue(body);
    if (waitUntil) waitUntil(this.outbox.push(KEEP_ALIVE));
    else if (isServerless()) await this.outbox.push(SERVERLESS_WAIT);
  }

  /** Queues a run. Never throws and never waits for the network. */
  enqueue(body: TraceBody): void {
    let reason = "mask_failed";
    try {
      // Unmasked text must not be sent, so the run is dropped and counted if the mask fails.
      const json = maskedJson(this.#settings.mask, toContract(body) as object);
      reason = "error";
      this.outbox.put(body.traceId, json, body.review !== undefined);
    } catch (error) {
      this.outbox.countLost(reason);
      this.#settings.warn(`${String(error)} The run ${body.traceId} is not stored.`, reason);
    }
  }

  /** Counts a run that had nothing to store. */
  countEmpty({ task }: { task: string }): void {
    this.outbox.countEmpty();
    this.warn(
      `The run "${task.slice(0, 80)}" ended without run.setOutput(...) or messages, so it is not stored.`,
      "empty",
    );
  }

  /** Logs a message; one of the same kind at most once a minute. */
  warn(message: string, kind: string): void {
    this.#settings.warn(message, kind);
  }

  #post(path: string, body: string | Uint8Array, signal?: AbortSignal): ReturnType<typeof send> {
    const target = `/v1/projects/${encodeURIComponent(this.#settings.projectId)}/${path}`;
    return send(this.#settings, { method: "POST", path: target, body }, POST_TIMEOUT, signal);
  }

  /** Reports lost and spooled runs to the server, from the first one until both counts are 0 again. */
  async #report({ dropped, spooled }: DeliveryCounters): Promise<void> {
    const lost = total(dropped);
    const now = Date.now();
    if (lost + spooled + this.#reported === 0 || now - this.#reportedAt < REPORT_INTERVAL) return;
    this.#reported = lost + spooled;
    this.#reportedAt = now;
    const report = { client: reporter, sdk: `reflect-memory ${VERSION}`, dropped: lost, spooled };
    // A key without the scope reports nothing; delivery is not affected.
    await this.#post("client-reports", toJson(report)).catch(() => {});
  }
}

/** Identifies this process in the server's reports. */
const reporter = /* @__PURE__ */ `javascript:${Math.random().toString(36).slice(2)}`;

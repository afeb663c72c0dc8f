// Hooks of the review page: leases, outbox results, and since when a run is visible.
import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { traceQuery } from "../../api/queries";
import type { Review } from "../../api/types";
import { ago } from "../../parts/time";
import { shortName } from "../../parts/reviewer";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";
import { openTraces } from "./session";
import type { Delivery } from "./outbox";
import { outbox } from "./send";
import { LEASE_SECONDS } from "./leases";
import type { SessionStore } from "./session-store";

const RENEW_MS = (LEASE_SECONDS * 1000) / 2;
/** React may unmount and mount a page twice in a row. That is not leaving. */
const UNMOUNT_DELAY_MS = 300;
const pendingReleases = new Map<SessionStore, ReturnType<typeof setTimeout>>();

/** Renews the leases while the page is open, and releases them afterwards. */
export function useLeases(store: SessionStore): void {
  useEffect(() => {
    clearTimeout(pendingReleases.get(store));
    const renew = () => {
      if (document.visibilityState === "visible") void store.renew();
    };
    const release = () => void store.releaseNow(openTraces(store.session));
    const timer = setInterval(renew, RENEW_MS);
    document.addEventListener("visibilitychange", renew);
    window.addEventListener("pagehide", release);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", renew);
      window.removeEventListener("pagehide", release);
      pendingReleases.set(
        store,
        setTimeout(() => {
          const held = openTraces(store.session);
          store.change({ kind: "lost", traces: held });
          void store.releaseInOrder(held);
        }, UNMOUNT_DELAY_MS),
      );
    };
  }, [store]);
}

/** Since when the run is painted; null before. */
export function useShownSince(trace: string | null): RefObject<number | null> {
  const since = useRef<number | null>(null);
  useLayoutEffect(() => {
    since.current = null;
    if (trace === null) return;
    // A task queued in an animation frame callback runs right after that frame is painted.
    let painted: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      painted = setTimeout(() => {
        since.current = performance.now();
      }, 0);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(painted);
    };
  }, [trace]);
  return since;
}

/** Says which verdict another reviewer gave; null if it could not be loaded. */
function conflictText(theirs: Review | null): string {
  const texts = t.review.messages;
  if (theirs === null) return texts.conflictUnknown;
  const reviewer = theirs.reviewer == null ? null : shortName(theirs.reviewer);
  return texts.conflict(theirs.result, reviewer, ago(theirs.created_at));
}

/** Reports verdicts that the server did not store. */
export function useOutboxResults(store: SessionStore): void {
  const { project } = store;
  const client = useQueryClient();
  useEffect(() => {
    const onResult = async ({ entry, sent }: Delivery) => {
      // After an undo the run is pending again. Renew its lease here, before another reviewer gets it.
      if (sent.kind === "done" && entry.mail.kind === "withdraw" && entry.project === project)
        void store.renew();
      const wasRejected = (sent.kind === "refused" || sent.kind === "conflict") && entry.project === project;
      if (wasRejected && entry.mail.kind === "review") store.change({ kind: "rejected", trace: entry.trace });
      const texts = t.review.messages;
      if (sent.kind === "refused") notify({ text: texts.rejected(sent.why), tone: "bad" }, { stays: true });
      if (sent.kind !== "conflict" || entry.mail.kind !== "review") return;
      const mine = entry.mail;
      const query = traceQuery(entry.project, entry.trace);
      // A key of its own: a request of the page for the same run ends with the row that made it.
      const trace = await client
        .fetchQuery({ ...query, queryKey: [...query.queryKey, "conflict"], gcTime: 0 })
        .catch(() => null);
      notify(
        {
          text: conflictText(trace?.review ?? null),
          choices: [
            { label: texts.keepTheirs, run: () => undefined },
            {
              label: texts.replace,
              run: () => {
                void outbox.add(entry.project, entry.trace, { ...mine, replace: true });
                if (entry.project === project) {
                  store.change({ kind: "decided", trace: entry.trace, decision: mine.result });
                }
              },
            },
          ],
        },
        { stays: true },
      );
    };
    const stop = outbox.subscribe((delivery) => {
      if (delivery === null) return;
      void onResult(delivery);
      void client.invalidateQueries({ queryKey: [project, "review-queue"] });
    });
    void outbox.open();
    const online = () => outbox.flush();
    window.addEventListener("online", online);
    return () => {
      stop();
      window.removeEventListener("online", online);
    };
  }, [client, project, store]);
}

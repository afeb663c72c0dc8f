// What goes on beside reviewing: leases, news from the outbox, and since when a run has been on screen.
import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { traceQuery } from "../../api/queries";
import { ago } from "../../parts/time";
import { shown } from "../../parts/reveal";
import { tell } from "../../shell/toasts";
import { open } from "./desk";
import type { News } from "./outbox";
import { outbox } from "./post";
import { type DeskStore, LEASE_SECONDS } from "./store";

const RENEW_MS = (LEASE_SECONDS * 1000) / 2;
/** A page that is drawn twice in a row has not been left. */
const LEFT_MS = 300;
const leaving = new Map<DeskStore, ReturnType<typeof setTimeout>>();

/** Holds what lies on the desk while it is looked at, and gives it back afterwards. */
export function useLeases(store: DeskStore): void {
  useEffect(() => {
    clearTimeout(leaving.get(store));
    const renew = () => {
      if (document.visibilityState === "visible") void store.renew();
    };
    const release = () => void store.release(open(store.desk));
    const timer = setInterval(renew, RENEW_MS);
    document.addEventListener("visibilitychange", renew);
    window.addEventListener("pagehide", release);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", renew);
      window.removeEventListener("pagehide", release);
      leaving.set(
        store,
        setTimeout(() => {
          const held = open(store.desk);
          store.change({ kind: "lost", traces: held });
          void store.giveBack(held);
        }, LEFT_MS),
      );
    };
  }, [store]);
}

/** Since when the run has been painted; null until it is. */
export function useShownSince(trace: string | null): RefObject<number | null> {
  const since = useRef<number | null>(null);
  useLayoutEffect(() => {
    since.current = null;
    if (trace === null) return;
    // A task that is put in line just before a frame runs right after that frame was painted.
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

/** Tells what became of verdicts that could not simply be stored. */
export function useOutboxNews(store: DeskStore): void {
  const { project } = store;
  const client = useQueryClient();
  useEffect(() => {
    const onNews = async ({ entry, sent }: News) => {
      // Taken back, it waits again: here, and not for whoever asks next.
      if (sent.kind === "done" && entry.mail.kind === "withdraw" && entry.project === project)
        void store.renew();
      const untaken = (sent.kind === "refused" || sent.kind === "conflict") && entry.project === project;
      if (untaken && entry.mail.kind === "review") store.change({ kind: "not-taken", trace: entry.trace });
      if (sent.kind === "refused")
        tell({ text: `A verdict was not taken: ${sent.why}`, tone: "bad" }, { stays: true });
      if (sent.kind !== "conflict" || entry.mail.kind !== "review") return;
      const mine = entry.mail;
      const trace = await client
        .fetchQuery({ ...traceQuery(entry.project, entry.trace), staleTime: 0 })
        .catch(() => null);
      const theirs = trace?.review;
      const who = shown((theirs?.reviewer ?? "Somebody").replace(/^member:/, ""));
      const said = theirs?.result === "pass" ? "passed" : "failed";
      tell(
        {
          text: `${who} ${said} this run ${theirs == null ? "before you" : ago(theirs.created_at)}.`,
          choices: [
            { label: "Keep theirs", run: () => undefined },
            {
              label: "Replace",
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
    const stop = outbox.listen((news) => {
      if (news === null) return;
      void onNews(news);
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

// Live updates: what changed on the server is read again. While the stream is down, everything is, every ten seconds.
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { base } from "../api/base";

/** Which reads a topic makes stale, beside the one of its own name. */
const ALSO: Record<string, readonly string[]> = {
  traces: ["overview", "review-queue"],
  reviews: ["overview", "review-queue", "traces", "memories"],
  memories: ["overview"],
  // Undoing is told of as an action, whatever it brings back.
  actions: ["memories", "reviews", "traces", "overview", "review-queue"],
  jobs: ["overview", "traces"],
};
const TOPICS = ["traces", "reviews", "memories", "review-queue", "actions", "skill", "api-keys", "project"];
/** Lists that must not move under the reader; they say that there is something new instead. */
const STILL = new Set(["rows", "steps", "memory-rows", "retrieve"]);
/** What reading again would only repeat: messages never change, and a retrieval is an act that is kept. */
const NEVER_AGAIN = new Set(["steps", "retrieve"]);
const POLL_MS = 10_000;

let connected = false;
/** How many changes of a topic arrived that were not made here. */
const arrived: Record<string, number> = {};
const listeners = new Set<() => void>();

/** The reads that a topic makes stale. */
export function staleAfter(topic: string): readonly string[] {
  return [topic, ...(ALSO[topic] ?? [])].filter((noun) => !STILL.has(noun));
}

/** Whether changes arrive by themselves. */
export function useConnected(): boolean {
  return useSyncExternalStore(listen, () => connected);
}

/** How many changes of a topic arrived since the page was opened, without those that were made here. */
export function useArrivals(topic = "traces"): number {
  return useSyncExternalStore(listen, () => arrived[topic] ?? 0);
}

/** Says that one change of a topic was made here. Its news may have come before, or is still to come. */
export function weChanged(topic: string): void {
  if (connected) change(() => (arrived[topic] = (arrived[topic] ?? 0) - 1));
}

/** Listens for as long as a project is open. */
export function useLive(project: string, client: QueryClient): void {
  useEffect(() => {
    const source = new EventSource(`${base}/console/api/v1/projects/${encodeURIComponent(project)}/events`);
    const again = (nouns: readonly string[]) => {
      for (const noun of nouns) void client.invalidateQueries({ queryKey: [project, noun] });
    };
    const everything = (but = STILL) =>
      client.invalidateQueries({
        predicate: (query) => query.queryKey[0] === project && !but.has(String(query.queryKey[1])),
      });
    let known = false;
    source.addEventListener("hello", () => {
      // What happened while nobody listened is unknown: at first, between reading the page and being heard. Lists are
      // read again then too, because nobody has begun to read them.
      void everything(known ? STILL : NEVER_AGAIN);
      known = true;
      change(() => (connected = true));
    });
    source.addEventListener("missed", () => void everything());
    source.addEventListener("error", () => change(() => (connected = false)));
    for (const topic of TOPICS) {
      source.addEventListener(topic, (event) => {
        change(() => (arrived[topic] = (arrived[topic] ?? 0) + countOf(event)));
        again(staleAfter(topic));
      });
    }
    const poll = setInterval(() => {
      if (!connected && document.visibilityState === "visible") void everything();
    }, POLL_MS);
    return () => {
      source.close();
      clearInterval(poll);
      change(() => (connected = false));
    };
  }, [project, client]);
}

function countOf(event: Event): number {
  try {
    const said = JSON.parse(String((event as MessageEvent).data)) as { count?: number };
    return said.count ?? 1;
  } catch {
    return 1;
  }
}

function change(apply: () => void): void {
  apply();
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// Live updates: refetches what changed on the server. While the event stream is down, refetches everything
// every ten seconds.
import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { base } from "../api/base";

/** The query keys that a topic makes stale, besides its own name. */
const DEPENDENT_QUERIES: Record<string, readonly string[]> = {
  traces: ["overview", "review-queue"],
  reviews: ["overview", "review-queue", "traces", "memories", "lessons", "lesson-questions", "signals"],
  memories: ["overview", "lessons", "lesson-questions"],
  lessons: ["overview", "memories", "lesson-questions"],
  "lesson-questions": ["memories", "lessons"],
  "lesson-grouping": ["overview", "memories", "lessons", "project"],
  // Undo is published as an action, whatever it restores.
  actions: [
    "memories",
    "lessons",
    "lesson-questions",
    "lesson-grouping",
    "reviews",
    "traces",
    "overview",
    "review-queue",
    "signals",
  ],
  // The meaning of a signal depends on the rules.
  project: ["signals"],
  jobs: ["overview", "traces"],
};
const TOPICS = [
  "traces",
  "reviews",
  "memories",
  "lessons",
  "lesson-questions",
  "lesson-grouping",
  "review-queue",
  "signals",
  "actions",
  "skill",
  "api-keys",
  "webhooks",
  "project",
];
/** Lists that must not change while the user reads them. They show that there are new entries instead. */
const MANUAL_REFRESH = new Set(["rows", "steps", "memory-rows", "lesson-rows", "retrieve"]);
/** Never refetched: messages do not change, and a retrieval is recorded on the server. */
const NEVER_REFETCH = new Set(["steps", "retrieve"]);
const POLL_MS = 10_000;

let connected = false;
/** The number of events per topic that other clients caused. */
const eventCounts: Record<string, number> = {};
const listeners = new Set<() => void>();

/** The query keys that a topic makes stale. */
export function staleAfter(topic: string): readonly string[] {
  return [topic, ...(DEPENDENT_QUERIES[topic] ?? [])].filter((noun) => !MANUAL_REFRESH.has(noun));
}

/** Whether the event stream is connected. */
export function useConnected(): boolean {
  return useSyncExternalStore(subscribe, () => connected);
}

/** The number of events of a topic since the page was opened, without those caused by this tab. */
export function useNewEvents(topic = "traces"): number {
  return useSyncExternalStore(subscribe, () => eventCounts[topic] ?? 0);
}

/** Records that this tab caused one event of a topic. The event may arrive before or after this call. */
export function recordOwnChange(topic: string): void {
  if (connected) change(() => (eventCounts[topic] = (eventCounts[topic] ?? 0) - 1));
}

/** Subscribes to events while a project is open. */
export function useLiveUpdates(project: string, client: QueryClient): void {
  useEffect(() => {
    const source = new EventSource(`${base}/console/api/v1/projects/${encodeURIComponent(project)}/events`);
    const again = (nouns: readonly string[]) => {
      for (const noun of nouns) void client.invalidateQueries({ queryKey: [project, noun] });
    };
    const everything = (but = MANUAL_REFRESH) =>
      client.invalidateQueries({
        predicate: (query) => query.queryKey[0] === project && !but.has(String(query.queryKey[1])),
      });
    let known = false;
    source.addEventListener("hello", () => {
      // Events before the connection are unknown. On the first connection lists are refetched too, because the
      // user has not started to read them.
      void everything(known ? MANUAL_REFRESH : NEVER_REFETCH);
      known = true;
      change(() => (connected = true));
    });
    source.addEventListener("missed", () => void everything());
    source.addEventListener("error", () => change(() => (connected = false)));
    for (const topic of TOPICS) {
      source.addEventListener(topic, (event) => {
        change(() => (eventCounts[topic] = (eventCounts[topic] ?? 0) + countOf(event)));
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
    const payload = JSON.parse(String((event as MessageEvent).data)) as { count?: number };
    return payload.count ?? 1;
  } catch {
    return 1;
  }
}

function change(apply: () => void): void {
  apply();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// The steps of a trace, loaded on demand.
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { Step, TraceSteps } from "../../api/types";
import { STEPS_AT_ONCE, stepsQuery } from "../../api/queries";

/** A search reads all steps, so it uses large pages. The server limits a response to 4 MB. */
const SEARCHED_AT_ONCE = 2000;

export type LoadedSteps = {
  /** The first page, which also contains the total; undefined while loading. */
  first: TraceSteps | undefined;
  problem: Error | null;
  known: ReadonlyMap<number, Step>;
  /** Loads a step if it is missing. */
  load: (n: number) => void;
  /** Loads all steps and visits them in order. */
  forEachStep: (visit: (step: Step) => void, stopped: () => boolean) => Promise<void>;
};

export function useSteps(project: string, trace: string): LoadedSteps {
  const client = useQueryClient();
  const { data: first, error } = useQuery(stepsQuery(project, trace, 0));
  const [starts, setStarts] = useState<readonly number[]>([]);
  const answers = useQueries({
    queries: starts.map((from) => stepsQuery(project, trace, from)),
    combine: dataOf,
  });
  const known = useMemo(() => {
    const steps = new Map<number, Step>();
    for (const answer of [first, ...answers]) for (const step of answer?.steps ?? []) steps.set(step.n, step);
    return steps;
  }, [first, answers]);

  const want = useCallback(
    (n: number) => {
      if (known.has(n) || first === undefined || n >= first.total) return;
      const from = startFor(n, known);
      setStarts((now) => (now.includes(from) ? now : [...now, from]));
    },
    [known, first],
  );
  const each = useCallback(
    async (visit: (step: Step) => void, stopped: () => boolean) => {
      for (let from = 0; !stopped();) {
        const answer = await client.ensureQueryData(stepsQuery(project, trace, from, SEARCHED_AT_ONCE));
        for (const step of answer.steps) visit(step);
        if (answer.to >= answer.total || answer.to <= from) return;
        from = answer.to;
      }
    },
    [client, project, trace],
  );
  return { first, problem: error, known, load: want, forEachStep: each };
}

/** A stable list: the number of hook dependencies must not change with the number of pages. */
const dataOf = (queries: { data: TraceSteps | undefined }[]) => queries.map((query) => query.data);

/** A page may end early, so the next page starts at the first missing step. */
function startFor(n: number, known: ReadonlyMap<number, Step>): number {
  const usual = Math.floor(n / STEPS_AT_ONCE) * STEPS_AT_ONCE;
  for (let from = usual; from <= n; from += 1) if (!known.has(from)) return from;
  return n;
}

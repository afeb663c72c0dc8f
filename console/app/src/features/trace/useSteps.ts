// The steps of a trace, fetched where somebody looks.
import { useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { Step, TraceSteps } from "../../api/types";
import { STEPS_AT_ONCE, stepsQuery } from "../../api/queries";

/** A search goes through everything, so it takes large steps; the server sends no more than 4 MB at a time. */
const SEARCHED_AT_ONCE = 2000;

export type KnownSteps = {
  /** The first answer, which also knows how many there are; undefined until it is there. */
  first: TraceSteps | undefined;
  problem: Error | null;
  known: ReadonlyMap<number, Step>;
  /** Sees to it that a step is fetched. */
  want: (n: number) => void;
  /** Fetches all of them, and gives them as they come. */
  each: (visit: (step: Step) => void, stopped: () => boolean) => Promise<void>;
};

export function useSteps(project: string, trace: string): KnownSteps {
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
  return { first, problem: error, known, want, each };
}

/** One list that stays the same while its answers do: a list of answers as dependencies would change its length. */
const dataOf = (queries: { data: TraceSteps | undefined }[]) => queries.map((query) => query.data);

/** Answers may end early, so the first unknown step after the known ones before it is where to go on. */
function startFor(n: number, known: ReadonlyMap<number, Step>): number {
  const usual = Math.floor(n / STEPS_AT_ONCE) * STEPS_AT_ONCE;
  for (let from = usual; from <= n; from += 1) if (!known.has(from)) return from;
  return n;
}

// The last verdicts and what each of them did. Live updates refetch the runs when their lessons are saved.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Check, X } from "lucide-react";
import { useEffect, useState } from "react";
import { memoryQuery } from "../../api/memories";
import { traceQuery } from "../../api/queries";
import { GRACE_SECONDS } from "../../api/reviews";
import { excerpt } from "../../parts/clamp";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import type { Verdict } from "./session";
import { verdictOutcome } from "./verdict-outcome";

/** Learning starts after a grace period, so the newest verdict alone would never show its lesson. */
const SHOWN = 3;

export function RecentVerdicts(props: { project: string; verdicts: readonly Verdict[] }) {
  if (props.verdicts.length === 0) return null;
  return (
    <section
      aria-labelledby="recent-verdicts"
      className="mt-3 flex flex-col gap-1 border-t border-line pt-3 max-md:mt-2 max-md:pt-1"
    >
      <h2 id="recent-verdicts" className="max-md:sr-only">
        {t.review.recent.title}
      </h2>
      <ul className="flex flex-col gap-2 max-md:[&>li:not(:first-child)]:hidden">
        {props.verdicts.slice(0, SHOWN).map((verdict) => (
          <RecentVerdict key={verdict.trace} project={props.project} verdict={verdict} />
        ))}
      </ul>
    </section>
  );
}

/** Whether the grace period since the first render is over. */
function useGraceEnded(): boolean {
  const [ended, setEnded] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setEnded(true), GRACE_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, []);
  return ended;
}

function RecentVerdict(props: { project: string; verdict: Verdict }) {
  const { project, verdict } = props;
  const { data: trace } = useQuery({ ...traceQuery(project, verdict.trace), enabled: useGraceEnded() });
  const created = trace?.created_memory_id ?? null;
  const { data: memory } = useQuery({ ...memoryQuery(project, created ?? ""), enabled: created !== null });
  const outcome = verdictOutcome(trace, memory === undefined ? undefined : excerpt(memory.summary, 120));
  const passed = verdict.decision === "pass";
  const Icon = passed ? Check : X;
  const texts = t.review.recent;
  const link =
    outcome.memory === null ? null : (
      <Link
        className="link"
        aria-label={texts.viewLesson}
        to="/p/$project/memories/$memory"
        params={{ project, memory: outcome.memory }}
      >
        {texts.view}
      </Link>
    );
  return (
    <li className="flex items-start gap-1.5 text-sm">
      <Icon
        size={14}
        aria-label={texts.decided[verdict.decision]}
        className={`mt-0.5 shrink-0 ${passed ? "text-pass" : "text-fail"}`}
      />
      <div className="min-w-0">
        <p className="truncate">{shown(excerpt(verdict.task, 80))}</p>
        <p className={`text-xs wrap-anywhere ${outcome.failed ? "text-fail" : "text-soft"}`}>
          {texts.line(outcome.counted, shown(outcome.lesson), link)}
        </p>
      </div>
    </li>
  );
}

// What the checks of the loop found, each with what to do about it.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleHelp, type LucideIcon, TriangleAlert } from "lucide-react";
import { words } from "../../api/failure";
import { healthQuery } from "../../api/queries";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";

type Check = Schemas["HealthCheck"];
type Level = Schemas["HealthLevel"];

const LOOKS: Record<Level, { tone: string; Icon: LucideIcon }> = {
  failing: { tone: "text-fail", Icon: CircleAlert },
  warning: { tone: "text-warn", Icon: TriangleAlert },
  ok: { tone: "text-pass", Icon: CircleCheck },
  unknown: { tone: "text-soft", Icon: CircleHelp },
};

/** Where in the console something can be done about a check. There may be checks that we do not know. */
const WHERE: Record<
  string,
  {
    to: string;
    label: string;
    search?: Record<string, string>;
    /** What a person can do here. Without it, only whoever changes the agent's program can. */
    advice?: string;
  }
> = {
  nobody_reviews: {
    to: "/review",
    label: "Review now",
    advice: "Clear some of them by hand, or let a judge do the rest (Settings, Judge).",
  },
  credit_lost: { to: "/traces", label: "Look at runs" },
  always_empty: { to: "/retrieve", label: "Try a task" },
  flat_utilities: { to: "/learning", label: "Look at learning" },
  reflection_failing: {
    to: "/traces",
    label: "See which failed",
    search: { q: "learning:failed" },
    advice: "Each run says why. Once the cause is mended, try again from the run's page.",
  },
  vague_feedback: {
    to: "/review",
    label: "Review",
    advice: "Say what should have been done: “ask for a photo before you refund” teaches, “wrong” does not.",
  },
  judge_unreliable: {
    to: "/settings/judge",
    label: "Change the judge",
    advice: "Reword its rubric, try it on a run, or switch it off.",
  },
  duplicates: {
    to: "/memories",
    label: "Look at memories",
    advice: "Open one of them: its neighbours stand beside it, each with a button to merge the two.",
  },
  one_memory_everywhere: {
    to: "/memories",
    label: "Look at memories",
    search: { sort: "evidence" },
    advice: "If it is too general to help, edit it, or disable it.",
  },
};

export function Health(props: { project: string; large?: boolean }) {
  const { data, error } = useQuery(healthQuery(props.project));
  const checks = data?.checks ?? [];
  const bad = checks.filter((check) => check.level === "failing" || check.level === "warning");
  const rest = checks.filter((check) => !bad.includes(check));
  return (
    <section aria-labelledby="health" className="flex flex-col">
      <h2 id="health" className={props.large === true ? "text-base font-semibold text-ink" : ""}>
        Loop health
      </h2>
      {error === null ? null : <p className="text-fail">{words(error)}</p>}
      {data !== undefined && bad.length === 0 ? (
        <p className="pt-1 text-soft">Nothing is wrong that {checks.length} checks can see.</p>
      ) : null}
      <ul>
        {bad.map((check) => (
          <Finding key={check.check} project={props.project} check={check} />
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details className="pt-1">
          <summary className="text-sm text-soft">{restWords(rest)}</summary>
          <ul>
            {rest.map((check) => (
              <Finding key={check.check} project={props.project} check={check} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function restWords(rest: readonly Check[]): string {
  const ok = rest.filter((check) => check.level === "ok").length;
  const unknown = rest.length - ok;
  return `${ok} ${ok === 1 ? "check is" : "checks are"} fine${unknown === 0 ? "" : `, ${unknown} cannot tell yet`}`;
}

function Finding(props: { project: string; check: Check }) {
  const { check } = props;
  const { tone, Icon } = LOOKS[check.level];
  const where = check.level === "failing" || check.level === "warning" ? WHERE[check.check] : undefined;
  return (
    <li className="flex gap-2 border-b border-line py-1.5">
      <Icon size={15} aria-hidden="true" className={`mt-0.5 shrink-0 ${tone}`} />
      <div className="min-w-0 flex-1">
        <p>
          <strong className={tone}>{check.level}</strong> {shown(check.message)}
        </p>
        {where?.advice === undefined ? null : <p className="text-sm text-soft">{where.advice}</p>}
        {check.fix == null ? null : where?.advice === undefined ? (
          <p className="text-sm text-soft">{shown(check.fix)}</p>
        ) : (
          <details className="text-sm text-soft">
            <summary>For programs</summary>
            <p>{shown(check.fix)}</p>
          </details>
        )}
      </div>
      {where === undefined ? null : (
        <Link
          className="btn btn-small self-start"
          to={`/p/$project${where.to}` as "/p/$project"}
          params={{ project: props.project }}
          search={(where.search ?? {}) as never}
        >
          {where.label}
        </Link>
      )}
    </li>
  );
}

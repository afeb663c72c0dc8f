// Findings of the loop health checks, each with advice.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleHelp, type LucideIcon, TriangleAlert } from "lucide-react";
import { errorMessage } from "../../api/errors";
import { healthQuery } from "../../api/queries";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";

type Check = Schemas["HealthCheck"];
type Level = Schemas["HealthLevel"];

const STYLES: Record<Level, { tone: string; Icon: LucideIcon }> = {
  failing: { tone: "text-fail", Icon: CircleAlert },
  warning: { tone: "text-warn", Icon: TriangleAlert },
  ok: { tone: "text-pass", Icon: CircleCheck },
  unknown: { tone: "text-soft", Icon: CircleHelp },
};

/** Links from a check to the page where the user can act. A newer server may send unknown checks. */
const LINKS: Record<
  string,
  {
    to: string;
    label: string;
    search?: Record<string, string>;
    /** What the user can do in the console. Without it, only a change to the agent's program helps. */
    advice?: string;
  }
> = {
  nobody_reviews: {
    to: "/review",
    label: "Review now",
    advice: "Review some of them, or let a judge review the rest (Settings, Judge).",
  },
  credit_lost: { to: "/traces", label: "Open traces" },
  always_empty: { to: "/retrieve", label: "Try a task" },
  flat_utilities: { to: "/learning", label: "Open learning" },
  reflection_failing: {
    to: "/traces",
    label: "Show failed runs",
    search: { q: "learning:failed" },
    advice: "Each run shows the reason. After you fix the cause, retry on the run's page.",
  },
  vague_feedback: {
    to: "/review",
    label: "Review",
    advice:
      "Describe what the agent should have done: “ask for a photo before you refund” is a good lesson, “wrong” is not.",
  },
  judge_unreliable: {
    to: "/settings/judge",
    label: "Change the judge",
    advice: "Change its rubric, test it on a run, or turn it off.",
  },
  duplicates: {
    to: "/memories",
    label: "Open memories",
    advice: "Select lessons that give the same advice, and group them into one.",
  },
  open_questions: {
    to: "/questions",
    label: "Answer questions",
    advice: "Two lessons contradict each other in each of them. Say which one is right.",
  },
  use_unreliable: {
    to: "/settings/lessons",
    label: "Open settings",
    advice: "Do not infer which lessons a run used, or let the agent report it.",
  },
  grouping_unfinished: {
    to: "/settings/lessons",
    label: "Open settings",
    advice: "If the number does not grow, an operator finds the reason in the log of the server.",
  },
  one_memory_everywhere: {
    to: "/memories",
    label: "Open memories",
    search: { sort: "evidence" },
    advice: "If it is too general to help, edit it, or disable it.",
  },
  keys_expiring: {
    to: "/settings/keys",
    label: "Open keys",
    advice: "Rotate the key, and give the new one to the program before the old one expires.",
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
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {data !== undefined && bad.length === 0 ? (
        <p className="pt-1 text-soft">No problem found by {checks.length} checks.</p>
      ) : null}
      <ul>
        {bad.map((check) => (
          <Finding key={check.check} project={props.project} check={check} />
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details className="pt-1">
          <summary className="text-sm text-soft">{summarizeRest(rest)}</summary>
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

function summarizeRest(rest: readonly Check[]): string {
  const ok = rest.filter((check) => check.level === "ok").length;
  const unknown = rest.length - ok;
  return `${ok} ${ok === 1 ? "check is" : "checks are"} ok${unknown === 0 ? "" : `, ${unknown} without enough data`}`;
}

function Finding(props: { project: string; check: Check }) {
  const { check } = props;
  const { tone, Icon } = STYLES[check.level];
  const where = check.level === "failing" || check.level === "warning" ? LINKS[check.check] : undefined;
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
            <summary>For developers</summary>
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

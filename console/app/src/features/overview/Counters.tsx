// The four stages of the loop as counters, each with its next action. The weakest stage is marked.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Overview } from "../../api/types";
import { Key } from "../../keys/Key";
import { useKeyOf } from "../../keys/KeyProvider";
import { atLeast, number, percent, Time } from "../../parts/time";
import { t } from "../../texts";
import { type NextStep, recommendedStage, stepOf } from "./next-step";
import type { Stage } from "./stages";

type Props = { project: string; data: Overview; worst: Stage | null };

export function Counters(props: Props) {
  const { traces, reviews, reflections, memories_used: used, lessons, situations } = props.data;
  const texts = t.overview.counters;
  return (
    <section aria-labelledby="counters" className="flex flex-col gap-2">
      <h2 id="counters" className="section-title">
        {texts.title}
      </h2>
      <ol className="grid grid-cols-4 gap-3 max-xl:grid-cols-2 max-sm:grid-cols-1">
        <Counter {...props} stage="traces" value={atLeast(traces.last_7d, traces.more)}>
          {texts.lastDay(traces.last_24h)}
        </Counter>
        <Counter {...props} stage="reviews" value={share(reviews.share)}>
          {texts.reviewed(
            reviews.reviewed,
            reviews.runs,
            reviews.oldest_pending == null ? null : <Time at={reviews.oldest_pending.created_at} />,
          )}
        </Counter>
        <Counter {...props} stage="reflections" value={number(reflections.made)}>
          {texts.learned({ queued: reflections.queued, failed: reflections.failed, lessons, situations })}
        </Counter>
        <Counter {...props} stage="memories" value={share(used.share)}>
          {texts.received(used.with_memories, used.runs)}
        </Counter>
      </ol>
    </section>
  );
}

function Counter(props: Props & { stage: Stage; value: string; children: ReactNode }) {
  const { stage, data, worst } = props;
  const weak = worst === stage;
  const step = stepOf(data, stage);
  const recommended = recommendedStage(data, worst) === stage;
  return (
    <li className={`card flex flex-col gap-1 p-3 ${weak ? "border-warn bg-warn-tint" : ""}`}>
      <h3 className="font-semibold text-soft">
        {t.overview.counters.names[stage]}
        {weak ? <span className="text-warn"> · {t.overview.counters.weakest}</span> : null}
      </h3>
      <p className="metric">{props.value}</p>
      <p className="text-sm text-soft">{props.children}</p>
      {recommended && step.why !== undefined ? <p className="text-sm">{step.why}</p> : null}
      <p className="mt-auto pt-1">
        <StepLink project={props.project} step={step} recommended={recommended} />
      </p>
    </li>
  );
}

/** An action as a button. The recommended one shows its key. */
export function StepLink(props: { project: string; step: NextStep; recommended: boolean }) {
  const { step } = props;
  const key = useKeyOf("next-step");
  return (
    <Link
      className={`btn max-w-full py-0.5 text-start whitespace-normal ${props.recommended ? "btn-primary" : ""}`}
      to={`/p/$project${step.path}` as "/p/$project"}
      params={{ project: props.project }}
      search={(step.search ?? {}) as never}
    >
      {step.label} {props.recommended ? <Key name={key} /> : null}
    </Link>
  );
}

const share = (value: number | null | undefined) => (value == null ? "–" : percent(value));

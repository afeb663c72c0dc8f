// The four stages of the loop, the weakest one marked, with one recommended action; below it, what needs
// attention.
import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense } from "react";
import type { Overview } from "../../api/types";
import { useScreenKeys } from "../../keys/KeyProvider";
import { bins, MIN_REVIEWS, sum } from "../../parts/charts/rates";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { counted, percent, Time } from "../../parts/time";
import { Health } from "./Health";
import { OVERVIEW_KEYS } from "./keys";
import { nextStep } from "./next-step";
import { NextStep } from "./NextStep";
import { type Stage, weakest } from "./stages";

const RateChart = lazy(() =>
  import("../../parts/charts/RateChart").then((module) => ({ default: module.RateChart })),
);

type Props = { project: string; data: Overview };

export function Loop(props: Props) {
  const worst = weakest(props.data);
  const step = nextStep(props.data, worst);
  const navigate = useNavigate();
  useScreenKeys(OVERVIEW_KEYS, {
    "next-step": () =>
      void navigate({
        to: `/p/$project${step.path}` as "/p/$project",
        params: { project: props.project },
        search: (step.search ?? {}) as never,
      }),
  });
  return (
    <Scroll label="Loop" className="flex min-h-0 flex-1 flex-col gap-5 overflow-y-auto p-4">
      <Stages data={props.data} worst={worst} />
      <NextStep project={props.project} step={step} />
      <div className="grid grid-cols-2 gap-x-8 gap-y-5 max-lg:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-5">
          <Success {...props} />
          <Failures {...props} />
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          <Newest {...props} />
          <Health project={props.project} />
        </div>
      </div>
    </Scroll>
  );
}

function Stages({ data, worst }: { data: Overview; worst: Stage | null }) {
  const { reviews, reflections, memories_used: used } = data;
  return (
    <ol
      aria-label="Stages of the loop"
      className="grid grid-cols-4 gap-3 max-lg:grid-cols-2 max-sm:grid-cols-1"
    >
      <StageCard
        name="Runs in"
        weak={worst === "traces"}
        value={count(data.traces.last_7d, data.traces.more)}
      >
        {data.traces.last_24h.toLocaleString()} in the last 24 hours
      </StageCard>
      <StageCard name="Reviewed" weak={worst === "reviews"} value={share(reviews.share)}>
        {reviews.reviewed.toLocaleString()} of n = {reviews.runs.toLocaleString()}
        {reviews.oldest_pending == null ? null : (
          <>
            , oldest pending <Time at={reviews.oldest_pending.created_at} />
          </>
        )}
      </StageCard>
      <StageCard name="Learned" weak={worst === "reflections"} value={count(reflections.made, false)}>
        {reflections.queued.toLocaleString()} in progress, {reflections.failed.toLocaleString()} failed;{" "}
        {counted(data.lessons, "lesson", "lessons")} from{" "}
        {counted(data.situations, "situation", "situations")}
      </StageCard>
      <StageCard name="Used" weak={worst === "memories"} value={share(used.share)}>
        {used.with_memories.toLocaleString()} of n = {used.runs.toLocaleString()} runs used a memory
      </StageCard>
    </ol>
  );
}

function StageCard(props: { name: string; weak: boolean; value: string; children: ReactNode }) {
  return (
    <li className={`card p-3 ${props.weak ? "border-warn bg-warn-tint" : ""}`}>
      <h2>
        {props.name}
        {props.weak ? <span className="text-warn"> · weakest stage</span> : null}
      </h2>
      <p className="text-2xl font-semibold">{props.value}</p>
      <p className="text-sm text-soft">{props.children}</p>
    </li>
  );
}

const count = (n: number, more: boolean) => `${n.toLocaleString()}${more ? "+" : ""}`;
const share = (value: number | null | undefined) => (value == null ? "–" : percent(value));

const SPARK = 150;

function Success({ project, data }: Props) {
  const made = bins(data.success_by_day);
  const n = sum(data.success_by_day);
  return (
    <section aria-labelledby="success" className="flex flex-col gap-1">
      <h2 id="success">Success, last 30 days</h2>
      {made.length === 0 ? (
        <p className="text-soft">
          Needs at least {MIN_REVIEWS} reviewed runs; there {n === 1 ? "is" : "are"} {n}.
        </p>
      ) : (
        // Reserves the height of the chart with its summary and buttons, to avoid a layout shift.
        <div className="min-h-56">
          <Suspense>
            <RateChart bins={made} height={SPARK} />
          </Suspense>
        </div>
      )}
      <p>
        <Link className="link" to={"/p/$project/learning" as "/p/$project"} params={{ project }}>
          Do memories cause the change?
        </Link>
      </p>
    </section>
  );
}

function Newest({ project, data }: Props) {
  return (
    <section aria-labelledby="newest" className="flex flex-col">
      <h2 id="newest">Newest memories</h2>
      {data.newest_memories.length === 0 ? (
        <p className="pt-1 text-soft">
          Memories appear after the first review. {data.reviews.pending.toLocaleString()} runs wait for
          review.
        </p>
      ) : null}
      <ul>
        {data.newest_memories.map((memory) => (
          <li key={memory.id} className="flex justify-between gap-4 border-b border-line py-1">
            <Link
              className="min-w-0 truncate hover:underline"
              to={`/p/$project/memories/${memory.id}` as "/p/$project"}
              params={{ project }}
              title={shown(memory.summary || memory.task)}
            >
              {shown(memory.summary || memory.task)}
            </Link>
            <span className="shrink-0 text-sm text-soft">
              <Time at={memory.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Failures({ project, data }: Props) {
  return (
    <section aria-labelledby="failures">
      <h2 id="failures">Failed lessons</h2>
      {data.failures.length === 0 ? <p className="pt-1 text-soft">None in the last 7 days.</p> : null}
      <ul>
        {data.failures.map((failure) => (
          <li key={failure.trace_id} className="border-b border-line py-1">
            <Link
              className="link"
              to="/p/$project/traces/$trace"
              params={{ project, trace: failure.trace_id }}
            >
              {shown(failure.task)}
            </Link>
            <p className="text-sm text-fail">{shown(failure.error ?? "No reason was recorded.")}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

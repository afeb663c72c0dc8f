// The overview of a project in use: one lesson as a story, the four counters, the pass rate, what needs attention.
import { Link, useNavigate } from "@tanstack/react-router";
import type { Overview } from "../../api/types";
import { useScreenKeys } from "../../keys/KeyProvider";
import { PassRate } from "../../parts/charts/PassRate";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { Counters, StepLink } from "./Counters";
import { Health } from "./Health";
import { overviewKeys } from "./keys";
import { newestLessons } from "./newest-lessons";
import { nextStep, recommendedStage } from "./next-step";
import { weakest } from "./stages";
import { Story } from "./Story";
import type { Story as StoryFacts } from "./story-query";

type Props = { project: string; data: Overview };

export function Loop(props: Props & { story: StoryFacts | null }) {
  const worst = weakest(props.data);
  const step = nextStep(props.data, worst);
  const navigate = useNavigate();
  useScreenKeys(overviewKeys(), {
    "next-step": () =>
      void navigate({
        to: `/p/$project${step.path}` as "/p/$project",
        params: { project: props.project },
        search: (step.search ?? {}) as never,
      }),
  });
  return (
    <Scroll label={t.overview.loop.label} className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto p-4">
      <Story project={props.project} story={props.story} />
      <Counters project={props.project} data={props.data} worst={worst} />
      {recommendedStage(props.data, worst) !== null ? null : (
        <p className="flex flex-wrap items-center gap-3">
          <StepLink project={props.project} step={step} recommended />
          <span className="text-soft">{step.why}</span>
        </p>
      )}
      <div className="grid grid-cols-2 gap-x-8 gap-y-6 max-lg:grid-cols-1">
        <div className="flex min-w-0 flex-col gap-6">
          <Success {...props} />
          <Failures {...props} />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <Newest {...props} />
          <Health project={props.project} />
        </div>
      </div>
    </Scroll>
  );
}

const CHART_HEIGHT = 150;

function Success({ project, data }: Props) {
  return (
    <section aria-labelledby="success" className="flex flex-col gap-1">
      <h2 id="success" className="section-title">
        {t.overview.loop.passRate}
      </h2>
      <PassRate days={data.success_by_day} height={CHART_HEIGHT} />
      <p>
        <Link className="link" to="/p/$project/learning" params={{ project }}>
          {t.overview.loop.causes}
        </Link>
      </p>
    </section>
  );
}

function Newest({ project, data }: Props) {
  const rows = newestLessons(data.newest_memories);
  return (
    <section aria-labelledby="newest" className="flex flex-col gap-1">
      <h2 id="newest" className="section-title">
        {t.overview.loop.newest}
      </h2>
      {rows.length > 0 ? null : (
        <p className="text-soft">
          {data.newest_memories.length === 0 ? t.overview.loop.noLessons : t.overview.loop.nothingNew}
        </p>
      )}
      <ul>
        {rows.map((memory) => (
          <li
            key={memory.id}
            className="flex items-baseline justify-between gap-4 border-b border-line py-1.5 max-md:py-2.5"
          >
            <Link
              className="min-w-0 truncate hover:underline"
              to="/p/$project/memories/$memory"
              params={{ project, memory: memory.id }}
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

/** Reviews from which no lesson could be written. Not shown if there are none. */
function Failures({ project, data }: Props) {
  if (data.failures.length === 0) return null;
  return (
    <section aria-labelledby="failures" className="flex flex-col gap-1">
      <h2 id="failures" className="section-title">
        {t.overview.loop.failed}
      </h2>
      <ul>
        {data.failures.map((failure) => (
          <li key={failure.trace_id} className="border-b border-line py-1.5">
            <Link
              className="link"
              to="/p/$project/traces/$trace"
              params={{ project, trace: failure.trace_id }}
            >
              {shown(failure.task)}
            </Link>
            <p className="text-sm text-fail">{shown(failure.error ?? t.overview.loop.noReason)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

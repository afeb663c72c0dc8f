// Is the loop turning? Four stages, the weakest one marked, and what to do about it.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { words } from "../../api/failure";
import type { Overview } from "../../api/pending";
import { healthQuery, overviewQuery } from "../../api/queries";
import { shown } from "../../parts/reveal";
import { percent, Time } from "../../parts/time";
import { Empty, PageHead } from "../../shell/Page";
import { FirstTrace } from "../traces/FirstTrace";
import { type Stage, weakest } from "./stages";
import { Scroll } from "../../parts/Scroll";

export function OverviewPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(overviewQuery(project));
  if (error !== null) {
    return (
      <>
        <PageHead title="Overview" />
        <Empty title="The overview could not be read">
          <p className="text-fail">{words(error)}</p>
        </Empty>
      </>
    );
  }
  const none = data !== undefined && data.reviews.runs === 0 && data.reviews.pending === 0;
  return (
    <>
      <PageHead
        title="Overview"
        about={
          data === undefined ? (
            ""
          ) : (
            <>
              the last 7 days, as of <Time at={data.as_of} />
            </>
          )
        }
      />
      {data === undefined ? null : none ? (
        <FirstTrace project={project} />
      ) : (
        <Loop project={project} data={data} />
      )}
    </>
  );
}

function Loop(props: { project: string; data: Overview }) {
  const { data, project } = props;
  const worst = weakest(data);
  return (
    <Scroll label="Loop" className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto p-4">
      <ol className="grid grid-cols-4 gap-3 max-lg:grid-cols-2">
        <StageCard
          name="Runs in"
          stage="traces"
          worst={worst}
          value={data.traces.last_7d.toLocaleString() + (data.traces.more ? "+" : "")}
        >
          {data.traces.last_24h.toLocaleString()} in the last 24 hours
        </StageCard>
        <StageCard
          name="Reviewed"
          stage="reviews"
          worst={worst}
          value={data.reviews.share === null ? "–" : percent(data.reviews.share)}
        >
          {data.reviews.reviewed.toLocaleString()} of n = {data.reviews.runs.toLocaleString()}
          {data.reviews.oldest_pending === null ? (
            ""
          ) : (
            <>
              , oldest waiting one stored <Time at={data.reviews.oldest_pending.created_at} />
            </>
          )}
        </StageCard>
        <StageCard
          name="Learned"
          stage="reflections"
          worst={worst}
          value={data.reflections.made.toLocaleString()}
        >
          {data.reflections.queued.toLocaleString()} on their way, {data.reflections.failed.toLocaleString()}{" "}
          failed
        </StageCard>
        <StageCard
          name="Used"
          stage="memories"
          worst={worst}
          value={data.memories_used.share === null ? "–" : percent(data.memories_used.share)}
        >
          {data.memories_used.with_memories.toLocaleString()} of n ={" "}
          {data.memories_used.runs.toLocaleString()} runs had a memory
        </StageCard>
      </ol>
      <NextStep project={project} data={data} worst={worst} />
      <div className="grid grid-cols-2 gap-6 max-lg:grid-cols-1">
        <section aria-labelledby="newest">
          <h2 id="newest">Newest memories</h2>
          {data.newest_memories.length === 0 ? (
            <p className="pt-1 text-soft">Memories appear after the first review.</p>
          ) : null}
          <ul>
            {data.newest_memories.map((memory) => (
              <li key={memory.id} className="flex justify-between gap-4 border-b border-line py-1">
                <Link
                  className="truncate hover:underline"
                  to="/p/$project/memories/$memory"
                  params={{ project, memory: memory.id }}
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
        <section aria-labelledby="failures">
          <h2 id="failures">Learning that was given up</h2>
          {data.failures.length === 0 ? <p className="pt-1 text-soft">None of the last 7 days.</p> : null}
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
                <p className="text-sm text-fail">{shown(failure.error)}</p>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <Health project={project} />
    </Scroll>
  );
}

function StageCard(props: {
  name: string;
  stage: Stage;
  worst: Stage | null;
  value: string;
  children: ReactNode;
}) {
  const weak = props.worst === props.stage;
  return (
    <li className={`card p-3 ${weak ? "border-warn bg-warn-tint" : ""}`}>
      <h2>
        {props.name}
        {weak ? <span className="text-warn"> · weakest stage</span> : null}
      </h2>
      <p className="text-2xl font-semibold">{props.value}</p>
      <p className="text-sm text-soft">{props.children}</p>
    </li>
  );
}

function NextStep(props: { project: string; data: Overview; worst: Stage | null }) {
  const { pending, pending_more } = props.data.reviews;
  if (props.worst === "reviews" || (props.worst === null && pending > 0)) {
    return (
      <p>
        <Link
          className="btn btn-primary"
          to="/p/$project/review"
          params={{ project: props.project }}
          search={{}}
        >
          Review {pending.toLocaleString()}
          {pending_more ? "+" : ""} waiting runs
        </Link>
      </p>
    );
  }
  if (props.worst === "reflections") {
    return (
      <p>
        <Link
          className="btn btn-primary"
          to="/p/$project/traces"
          params={{ project: props.project }}
          search={{ q: "learning:failed" }}
        >
          See what could not be learned
        </Link>
      </p>
    );
  }
  return null;
}

const TONE: Record<string, string> = {
  failing: "text-fail",
  warning: "text-warn",
  ok: "text-pass",
  unknown: "text-soft",
};

function Health(props: { project: string }) {
  const { data } = useQuery(healthQuery(props.project));
  const told = data?.checks.filter((check) => check.level === "failing" || check.level === "warning") ?? [];
  return (
    <section aria-labelledby="health">
      <h2 id="health">Loop health</h2>
      {data === undefined ? null : told.length === 0 ? (
        <p className="pt-1 text-soft">Nothing is wrong that {data.checks.length} checks can see.</p>
      ) : null}
      <ul>
        {told.map((check) => (
          <li key={check.check} className="border-b border-line py-1.5">
            <p>
              <strong className={TONE[check.level]}>{check.level}</strong> {check.message}
            </p>
            {check.fix == null ? null : <p className="text-sm text-soft">{check.fix}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

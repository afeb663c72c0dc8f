// The memories with the highest and the lowest utility, based on the reviewed runs that used them.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import type { Schemas } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { shown } from "../../parts/reveal";

type Memory = Schemas["StoredMemory"];
const SHOWN = 5;

const query = (project: string, which: "high" | "low") =>
  queryOptions({
    queryKey: [project, "memories", "learning", which],
    queryFn: ({ signal }) =>
      body(
        api.GET("/v1/projects/{project_id}/memories", {
          params: {
            path: { project_id: project },
            query: {
              status: "active",
              evidence_at_least: 1,
              limit: SHOWN,
              ...(which === "high"
                ? { sort: "utility", credit_above: 0.5 }
                : { sort: "harm", credit_below: 0.5 }),
            },
          },
          signal,
        }),
      ),
  });

export function Memories({ project }: { project: string }) {
  const high = useQuery(query(project, "high"));
  const low = useQuery(query(project, "low"));
  return (
    <>
      <List
        id="helpful"
        title="Most helpful memories"
        none="No memory has a credit above 0.5 after a review of a run that used it."
        project={project}
        error={high.error}
        memories={high.data}
      />
      <List
        id="harmful"
        title="Most harmful memories"
        none="No memory has a credit below 0.5 after a review of a run that used it."
        project={project}
        error={low.error}
        memories={low.data}
      />
    </>
  );
}

function List(props: {
  id: string;
  title: string;
  none: string;
  project: string;
  error: Error | null;
  memories: readonly Memory[] | undefined;
}) {
  return (
    <section aria-labelledby={props.id} className="flex min-w-0 flex-col gap-1">
      <h2 id={props.id} className="text-base font-semibold text-ink">
        {props.title}
      </h2>
      <p className="text-sm text-soft">
        Based on the results of runs that used them: correlation, not causation. The dashed line is 0.5, no
        effect.
      </p>
      {props.error === null ? null : <p className="text-fail">{errorMessage(props.error)}</p>}
      {props.memories?.length === 0 ? <p className="text-soft">{props.none}</p> : null}
      <ul>
        {props.memories?.map((memory) => (
          <Row key={memory.id} project={props.project} memory={memory} />
        ))}
      </ul>
    </section>
  );
}

function Row({ project, memory }: { project: string; memory: Memory }) {
  const [low = 0, high = 1] = memory.credit_interval;
  const sentence = `credit ${memory.credit.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}), n\u00a0=\u00a0${memory.evidence}`;
  return (
    <li className="flex items-center justify-between gap-4 border-b border-line py-1 max-sm:flex-col max-sm:items-start">
      <div className="min-w-0 max-sm:w-full">
        <Link
          className="block truncate hover:underline"
          to={`/p/$project/memories/${memory.id}` as "/p/$project"}
          params={{ project }}
          title={shown(memory.summary || memory.task)}
        >
          {shown(memory.summary || memory.task)}
        </Link>
        <p className="text-xs text-soft">
          utility {memory.utility.toFixed(2)}, {memory.passes} of {memory.reviews} passed · {sentence}
          {low <= 0.5 && high >= 0.5 ? " · not enough data yet" : ""}
        </p>
      </div>
      <div className="shrink-0">
        <Interval
          label={sentence}
          value={memory.credit}
          low={low}
          high={high}
          nothing={0.5}
          domain={[0, 1]}
          ends={["0", "1"]}
          width={140}
        />
      </div>
    </li>
  );
}

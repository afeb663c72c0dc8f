// The lessons whose runs went better or worse than expected.
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import type { Schemas } from "../../api/types";
import { LessonValue } from "../../parts/LessonValue";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";

type Memory = Schemas["StoredMemory"];
const SHOWN = 5;
/** One or two runs may be chance. */
const LEAST_EVIDENCE = 3;

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
              evidence_at_least: LEAST_EVIDENCE,
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
  const texts = t.learning.lists;
  return (
    <>
      <List
        id="helpful"
        title={texts.helpful}
        none={texts.noneHelpful}
        project={project}
        error={high.error}
        memories={high.data}
      />
      <List
        id="harmful"
        title={texts.harmful}
        none={texts.noneHarmful}
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
      <h2 id={props.id} className="section-title">
        {props.title}
      </h2>
      <p className="text-sm text-soft">{t.learning.lists.about}</p>
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
  return (
    <li className="flex min-w-0 flex-col gap-0.5 border-b border-line py-2">
      <Link
        className="block truncate hover:underline"
        to="/p/$project/memories/$memory"
        params={{ project, memory: memory.id }}
        title={shown(memory.summary || memory.task)}
      >
        {shown(memory.summary || memory.task)}
      </Link>
      <LessonValue of={memory} />
    </li>
  );
}

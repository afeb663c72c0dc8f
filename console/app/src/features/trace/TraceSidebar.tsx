// The side panel of a trace: outcome, memories, metadata.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { memoryQuery } from "../../api/memories";
import { traceQuery } from "../../api/queries";
import type { Json } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { Outcome } from "../../parts/Outcome";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { ReviewForm } from "./ReviewForm";

const LINKS: Record<string, string> = {
  receipt: "the client sent its receipt",
  ids: "the client sent their ids",
  trajectory: "the messages contain them",
  inferred: "inferred from the last retrieval for this task",
};

export function TraceSidebar(props: { project: string; trace: string }) {
  const { data: trace } = useQuery(traceQuery(props.project, props.trace));
  if (trace === undefined) return <aside className="w-80 shrink-0 border-s border-line" />;
  const { review } = trace;
  return (
    <aside
      aria-label="About this run"
      className="flex w-80 shrink-0 flex-col gap-4 overflow-y-auto border-s border-line p-3"
    >
      <Block title="Outcome">
        <p className="flex items-center gap-2">
          <Outcome result={review?.result} />
          {review == null ? null : (
            <span className="text-sm text-soft">
              {shown(review.reviewer ?? "")} <Time at={review.created_at} />
            </span>
          )}
        </p>
        {review?.feedback_text ? <RunText text={review.feedback_text} lines={8} words /> : null}
        {trace.ingest_status === "failed" ? (
          <p className="text-fail">{shown(trace.last_ingest_error ?? "Learning failed.")}</p>
        ) : null}
        <ReviewForm
          project={props.project}
          trace={props.trace}
          review={review ?? null}
          failed={trace.ingest_status === "failed"}
        />
      </Block>
      <Block title={`Memories used (${trace.linked_memory_ids.length})`}>
        {trace.linked_memory_ids.length === 0 ? (
          <p className="text-sm text-soft">None recorded.</p>
        ) : (
          <>
            <p className="text-sm text-soft">Linked because {LINKS[trace.link] ?? trace.link}.</p>
            <ul className="flex flex-col gap-1">
              {trace.linked_memory_ids.map((id) => (
                <li key={id}>
                  <MemoryLink project={props.project} id={id} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Block>
      {trace.created_memory_id == null ? null : (
        <Block title="Created memory">
          <MemoryLink project={props.project} id={trace.created_memory_id} />
        </Block>
      )}
      <Block title="Run">
        <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-sm">
          <Fact name="Stored">
            <Time at={trace.created_at} />
          </Fact>
          <Fact name="Model">{shown(trace.model ?? "not recorded")}</Fact>
          <Fact name="Learning">{review == null ? "after the review" : trace.ingest_status}</Fact>
          {trace.arm == null ? null : <Fact name="Arm">{trace.arm} memories</Fact>}
          <Fact name="Id">
            <code className="break-all text-xs">{trace.id}</code>
          </Fact>
        </dl>
      </Block>
      <Block title="Metadata">
        {Object.keys(trace.metadata).length === 0 ? (
          <p className="text-sm text-soft">None.</p>
        ) : (
          <JsonTree value={trace.metadata as Json} label="Metadata" levels={1} />
        )}
      </Block>
    </aside>
  );
}

function Block(props: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-1.5">
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

function Fact(props: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{props.name}</dt>
      <dd className="min-w-0 truncate">{props.children}</dd>
    </>
  );
}

/** Links to a memory by its text; by its id while loading or if it no longer exists. */
function MemoryLink(props: { project: string; id: string }) {
  const { data } = useQuery(memoryQuery(props.project, props.id));
  return (
    <Link
      className={`link text-sm ${data === undefined ? "font-mono" : "line-clamp-2"}`}
      to="/p/$project/memories/$memory"
      params={{ project: props.project, memory: props.id }}
    >
      {data === undefined ? props.id : shown(data.summary || data.task)}
    </Link>
  );
}

// The side panel of a trace: outcome, memories, metadata. On a small screen it is above the run and closed at first.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { type ReactNode, useState } from "react";
import { memoryQuery } from "../../api/memories";
import { traceQuery } from "../../api/queries";
import type { Json } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { LessonValue } from "../../parts/LessonValue";
import { Outcome } from "../../parts/Outcome";
import { reviewerName } from "../../parts/reviewer";
import { RunText } from "../../parts/RunText";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { ReviewForm } from "./ReviewForm";
import { Signals } from "./Signals";

const FRAME =
  "flex shrink-0 flex-col border-line max-lg:order-first max-lg:min-h-11 max-lg:border-b lg:w-80 lg:border-s";

export function TraceSidebar(props: { project: string; trace: string }) {
  const { data: trace } = useQuery(traceQuery(props.project, props.trace));
  const [isOpen, setIsOpen] = useState(false);
  if (trace === undefined) return <aside className={FRAME} />;
  const { review } = trace;
  const texts = t.trace.sidebar;
  return (
    <aside aria-label={texts.title} className={FRAME}>
      <button
        type="button"
        aria-expanded={isOpen}
        className="btn btn-plain justify-between px-3 max-lg:min-h-11 lg:hidden"
        onClick={() => setIsOpen(!isOpen)}
      >
        <span className="flex items-center gap-2">
          {texts.title} <Outcome result={review?.result} />
        </span>
        <ChevronDown size={16} aria-hidden="true" className={isOpen ? "rotate-180" : ""} />
      </button>
      <div
        className={`flex min-h-0 flex-col gap-4 overflow-y-auto p-3 ${isOpen ? "max-lg:max-h-[60dvh]" : "max-lg:hidden"}`}
      >
        <Block title={texts.outcome}>
          <p className="flex items-center gap-2">
            <Outcome result={review?.result} />
            {review == null ? null : (
              <span className="text-sm text-soft">
                {reviewerName(review.reviewer ?? "")} <Time at={review.created_at} />
              </span>
            )}
          </p>
          {review?.feedback_text ? <RunText text={review.feedback_text} lines={8} words /> : null}
          {trace.ingest_status === "failed" ? (
            <p className="text-fail">{shown(trace.last_ingest_error ?? texts.learningFailed)}</p>
          ) : null}
          <ReviewForm
            project={props.project}
            trace={props.trace}
            review={review ?? null}
            failed={trace.ingest_status === "failed"}
          />
        </Block>
        <Block title={texts.signals}>
          <Signals project={props.project} trace={props.trace} review={review ?? null} />
        </Block>
        <Block title={texts.memories(trace.linked_memory_ids.length)}>
          {trace.linked_memory_ids.length === 0 ? (
            <p className="text-sm text-soft">{texts.noMemories}</p>
          ) : (
            <>
              {trace.link === "none" ? null : <p className="text-sm text-soft">{texts.links[trace.link]}</p>}
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
          <Block title={texts.created}>
            <MemoryLink project={props.project} id={trace.created_memory_id} />
          </Block>
        )}
        <Block title={texts.run}>
          <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-sm">
            <Fact name={texts.stored}>
              <Time at={trace.created_at} />
            </Fact>
            <Fact name={texts.model}>{shown(trace.model ?? texts.notRecorded)}</Fact>
            <Fact name={texts.learning}>
              {review == null ? texts.afterReview : texts.learningStates[trace.ingest_status]}
            </Fact>
            {trace.arm == null ? null : <Fact name={texts.experiment}>{texts.arms[trace.arm]}</Fact>}
            {Object.entries(trace.keys ?? {}).map(([name, value]) => (
              <Fact key={name} name={texts.key(shown(name))}>
                <span title={shown(value)}>{shown(value)}</span>
              </Fact>
            ))}
            <Fact name={texts.id}>
              <code className="break-all text-xs">{trace.id}</code>
            </Fact>
          </dl>
        </Block>
        <Block title={texts.metadata}>
          {Object.keys(trace.metadata).length === 0 ? (
            <p className="text-sm text-soft">{texts.noMetadata}</p>
          ) : (
            <JsonTree value={trace.metadata as Json} label={texts.metadata} levels={1} />
          )}
        </Block>
      </div>
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

/** Links to a memory by its text, with its value; by its id while loading or if it no longer exists. */
function MemoryLink(props: { project: string; id: string }) {
  const { data } = useQuery(memoryQuery(props.project, props.id));
  return (
    <>
      <Link
        className={`link text-sm ${data === undefined ? "font-mono" : "line-clamp-2"}`}
        to="/p/$project/memories/$memory"
        params={{ project: props.project, memory: props.id }}
      >
        {data === undefined ? props.id : shown(data.summary || data.task)}
      </Link>
      {data === undefined ? null : (
        <>
          <p className="truncate text-sm text-soft">{shown(data.task)}</p>
          <LessonValue of={data} />
        </>
      )}
    </>
  );
}

// All candidates: served ones in their order, then excluded ones with the reason.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pin } from "lucide-react";
import { useState } from "react";
import { memoryQuery, type StoredMemory } from "../../api/memories";
import { LessonValue } from "../../parts/LessonValue";
import { shown } from "../../parts/reveal";
import { SourceBadge } from "../../parts/SourceBadge";
import { fixed } from "../../parts/time";
import { t } from "../../texts";
import { oneLine } from "../memories/labels";
import { type RetrievalResult, type Candidate, exclusionReason, type Served, supportOf } from "./retrieval";

const FIRST = 10;

export function Candidates(props: {
  project: string;
  answer: RetrievalResult;
  served: Candidate[];
  left: Candidate[];
  room: number;
}) {
  const { project, served, left } = props;
  const [all, setAll] = useState(false);
  const listed = all ? left : left.slice(0, FIRST);
  const texts = t.retrieve.candidates;
  return (
    <>
      {served.length === 0 ? null : (
        <section className="flex flex-col gap-1">
          <h2>{texts.servedHeading(served.length)}</h2>
          <ol aria-label={texts.served}>
            {served.map((one, index) => (
              <Row key={one.id} project={project} one={one} memory={one.memory} rank={index + 1}>
                {one.memory === undefined ? "" : supportOf(one.memory)}
              </Row>
            ))}
          </ol>
        </section>
      )}
      {left.length === 0 ? null : (
        <section className="flex flex-col gap-1">
          <h2>{texts.excludedHeading(left.length)}</h2>
          <ul aria-label={texts.excluded}>
            {listed.map((one) => (
              <Excluded
                key={one.id}
                project={project}
                one={one}
                reason={exclusionReason(one.fate, props.answer.receipt, props.room)}
              />
            ))}
          </ul>
          {left.length > FIRST ? (
            <button type="button" className="btn btn-small self-start" onClick={() => setAll(!all)}>
              {all ? texts.showFirst(FIRST) : texts.showAll(left.length)}
            </button>
          ) : null}
        </section>
      )}
    </>
  );
}

/** The answer contains only what was served. Another retrieval for the rest would be recorded, so it is read by id. */
function Excluded(props: { project: string; one: Candidate; reason: string }) {
  const { data } = useQuery(memoryQuery(props.project, props.one.id));
  return (
    <Row project={props.project} one={props.one} memory={data}>
      {props.reason}
    </Row>
  );
}

function Row(props: {
  project: string;
  one: Candidate;
  memory: Served | StoredMemory | undefined;
  rank?: number;
  children: string;
}) {
  const { one, memory, rank } = props;
  const texts = t.retrieve.candidates;
  return (
    <li className="flex gap-3 border-t border-line py-2">
      {rank === undefined ? null : (
        <span className="w-5 shrink-0 text-end text-soft">
          <span className="sr-only">{texts.rank} </span>
          {rank}
        </span>
      )}
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            className="min-w-0 hover:underline [overflow-wrap:anywhere]"
            to="/p/$project/memories/$memory"
            params={{ project: props.project, memory: one.id }}
          >
            {memory === undefined ? texts.loading : shown(oneLine(memory))}
          </Link>
          <Chips one={one} memory={memory} />
        </p>
        <p className="truncate text-xs text-soft">{memory === undefined ? "" : shown(memory.task)}</p>
        {memory === undefined ? null : <LessonValue of={memory} />}
        <p className="text-xs text-soft">
          {texts.numbers({
            similarity: fixed(one.similarity),
            score: one.score === null ? null : fixed(one.score),
            note: props.children,
          })}
        </p>
      </div>
    </li>
  );
}

function Chips(props: { one: Candidate; memory: Served | StoredMemory | undefined }) {
  return (
    <>
      {props.one.pinned ? (
        <span className="chip shrink-0 bg-accent-tint text-accent">
          <Pin size={12} aria-hidden="true" /> {t.retrieve.candidates.pinned}
        </span>
      ) : null}
      <SourceBadge success={props.memory?.success} />
      {props.memory?.flags?.map((flag) => (
        <span key={flag} className="chip shrink-0 bg-warn-tint text-warn">
          {shown(flag)}
        </span>
      ))}
    </>
  );
}

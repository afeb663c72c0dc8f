// All candidates: served ones in their order, then excluded ones with the reason.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { Pin } from "lucide-react";
import { resultOf } from "../memories/labels";
import { type RetrievalResult, type Candidate, exclusionReason, supportOf } from "./retrieval";

const FIRST = 10;

export function Candidates(props: {
  project: string;
  answer: RetrievalResult;
  served: Candidate[];
  left: Candidate[];
  room: number;
}) {
  const { served, left, answer } = props;
  const [all, setAll] = useState(false);
  const listed = all ? left : left.slice(0, FIRST);
  return (
    <>
      {served.length === 0 ? null : (
        <section className="flex flex-col gap-1">
          <h2>Served ({served.length})</h2>
          <Table label="Served" project={props.project} rows={served} ranked />
        </section>
      )}
      {left.length === 0 ? null : (
        <section className="flex flex-col gap-1">
          <h2>Considered and excluded ({left.length})</h2>
          <Table
            label="Excluded"
            project={props.project}
            rows={listed}
            why={(one) => exclusionReason(one.fate, answer.receipt, props.room)}
          />
          {left.length > FIRST ? (
            <button type="button" className="btn btn-small self-start" onClick={() => setAll(!all)}>
              {all ? `Show the first ${FIRST}` : `Show all ${left.length}`}
            </button>
          ) : null}
        </section>
      )}
    </>
  );
}

function Table(props: {
  label: string;
  project: string;
  rows: Candidate[];
  ranked?: boolean;
  why?: (one: Candidate) => string;
}) {
  const { why } = props;
  const head = "font-semibold";
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-[38rem] table-fixed text-sm">
        <caption className="sr-only">{props.label}</caption>
        <thead>
          <tr className="text-xs text-soft">
            {props.ranked === true ? (
              <th scope="col" className={`w-10 py-1 text-end ${head}`}>
                Rank
              </th>
            ) : null}
            <th scope="col" className={`px-2 py-1 text-start ${head}`}>
              Lesson
            </th>
            {why === undefined ? (
              <th scope="col" className={`w-16 px-2 text-start ${head}`}>
                Result
              </th>
            ) : null}
            <th scope="col" className={`w-20 px-2 text-end ${head}`}>
              Similarity
            </th>
            <th scope="col" className={`w-24 px-2 text-end ${head}`}>
              Utility
            </th>
            <th scope="col" className={`w-16 text-end ${head}`}>
              Score
            </th>
            {why === undefined ? null : (
              <th scope="col" className={`w-44 ps-4 text-start ${head}`}>
                Reason
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((one, index) => (
            <tr key={one.id} className="border-t border-line align-top">
              {props.ranked === true ? <td className="py-1 text-end">{index + 1}</td> : null}
              <td className="px-2 py-1">
                <Lesson project={props.project} one={one} support={why === undefined} />
              </td>
              {why === undefined ? (
                <td className="px-2 py-1">
                  {one.memory?.success == null ? "–" : <Outcome result={resultOf(one.memory.success)} />}
                </td>
              ) : null}
              <td className="px-2 py-1 text-end">{one.similarity.toFixed(3)}</td>
              <td className="whitespace-nowrap px-2 py-1 text-end">
                {one.utility.toFixed(3)}{" "}
                {one.memory === undefined ? null : (
                  <span className="text-xs text-soft">n {one.memory.evidence}</span>
                )}
              </td>
              <td className="py-1 text-end font-semibold">{one.score?.toFixed(3) ?? "–"}</td>
              {why === undefined ? null : <td className="py-1 ps-4 text-soft">{why(one)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Lesson(props: { project: string; one: Candidate; support: boolean }) {
  const { memory, id, pinned } = props.one;
  return (
    <>
      <span className="flex items-center gap-1.5">
        <Link
          className="min-w-0 truncate hover:underline"
          to="/p/$project/memories/$memory"
          params={{ project: props.project, memory: id }}
        >
          {memory === undefined ? (
            <code className="text-xs">{id}</code>
          ) : (
            shown(memory.summary || memory.reflection)
          )}
        </Link>
        {pinned ? (
          <span className="chip shrink-0 bg-accent-tint text-accent">
            <Pin size={12} aria-hidden="true" /> pinned
          </span>
        ) : null}
        {memory?.flags?.map((flag) => (
          <span key={flag} className="chip shrink-0 bg-warn-tint text-warn">
            {flag}
          </span>
        ))}
      </span>
      {memory === undefined ? null : (
        <span className="block truncate text-xs text-soft">{shown(memory.task)}</span>
      )}
      {memory === undefined || !props.support ? null : (
        <span className="block text-xs text-soft">{supportOf(memory)}</span>
      )}
    </>
  );
}

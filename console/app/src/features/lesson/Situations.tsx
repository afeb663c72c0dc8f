// The situations of a lesson: tasks, each with its credit and the run that it was learned from.
import { Link } from "@tanstack/react-router";
import type { LessonDetail } from "../../api/lessons";
import type { StoredMemory } from "../../api/memories";
import { Key } from "../../keys/Key";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { counted, Time } from "../../parts/time";
import { CreditBar, describeInterval, ValueWithCount } from "../memories/Credit";
import { resultOf } from "../memories/labels";
import type { Selection } from "../memories/selection";
import { StatusChips } from "../memories/StatusChips";
import { Block } from "../memory/Block";
import { canLeave } from "./situation-rules";

export function Situations(props: {
  project: string;
  lesson: LessonDetail;
  selected: Selection;
  /** Null if the member may not change lessons. */
  onSelect: ((memory: string) => void) | null;
  onSplit: () => void;
  onMove: () => void;
}) {
  const { project, lesson, selected } = props;
  const { memories } = lesson;
  const head = "px-2 py-1 text-start font-semibold";
  return (
    <Block
      title="Situations"
      about="the tasks that this lesson was learned from, newest first; each has its own credit"
    >
      {props.onSelect === null ? null : (
        <p className="flex flex-wrap items-center gap-2">
          <button
            type="button"
            className="btn btn-small"
            disabled={selected.size === 0}
            onClick={props.onSplit}
          >
            Split off <Key name="s" />
          </button>
          <button
            type="button"
            className="btn btn-small"
            disabled={selected.size !== 1}
            onClick={props.onMove}
          >
            Move <Key name="v" />
          </button>
          <span className="text-sm text-soft">
            {selected.size === 0
              ? "Select situations that belong to another lesson."
              : `${selected.size} selected`}
          </span>
        </p>
      )}
      <div className="relative overflow-x-auto">
        <table className="w-full min-w-[38rem] table-fixed text-sm">
          <caption className="sr-only">Situations</caption>
          <thead>
            <tr className="text-xs text-soft">
              {props.onSelect === null ? null : (
                <th scope="col" className="w-8">
                  <span className="sr-only">Selected</span>
                </th>
              )}
              <th scope="col" className={head}>
                Task
              </th>
              <th scope="col" className={`w-28 ${head}`}>
                Status
              </th>
              <th scope="col" className={`w-36 ${head}`}>
                Credit
              </th>
              <th scope="col" className={`w-28 ${head}`}>
                Run
              </th>
              <th scope="col" className={`w-16 ${head}`}>
                Age
              </th>
            </tr>
          </thead>
          <tbody>
            {memories.map((memory) => (
              <Row
                key={memory.id}
                project={project}
                memory={memory}
                selected={selected.has(memory.id)}
                onSelect={props.onSelect}
              />
            ))}
          </tbody>
        </table>
      </div>
      {props.onSelect === null || memories.every(canLeave) ? null : (
        <p className="text-sm text-soft">
          A merged situation cannot be selected: it follows the memory that it was merged into.
        </p>
      )}
      <p className="text-sm">
        <Link
          className="link"
          to="/p/$project/memories"
          params={{ project }}
          search={{ list: "situations", q: `lesson:${lesson.id}` }}
        >
          All situations of this lesson, with more actions
        </Link>
      </p>
    </Block>
  );
}

function Row(props: {
  project: string;
  memory: StoredMemory;
  selected: boolean;
  onSelect: ((memory: string) => void) | null;
}) {
  const { project, memory, onSelect } = props;
  const task = shown(memory.task) || "(no task)";
  return (
    <tr className="border-t border-line">
      {onSelect === null ? null : (
        <td className="ps-2">
          {canLeave(memory) ? (
            <input
              type="checkbox"
              aria-label={`Select ${task}`}
              className="block h-4 w-4 accent-accent"
              checked={props.selected}
              onChange={() => onSelect(memory.id)}
            />
          ) : null}
        </td>
      )}
      <td className="px-2 py-1">
        <Link
          className="line-clamp-2 hover:underline"
          to="/p/$project/memories/$memory"
          params={{ project, memory: memory.id }}
        >
          {task}
        </Link>
        {memory.absorbed > 0 ? (
          <span className="text-xs text-soft">
            {counted(memory.absorbed, "other is", "others are")} merged into it
          </span>
        ) : null}
      </td>
      <td className="px-2">
        <StatusChips memory={{ ...memory, flags: [] }} />
      </td>
      <td className="whitespace-nowrap px-2" title={describeInterval(memory.credit_interval)}>
        <CreditBar credit={memory.credit} interval={memory.credit_interval} />{" "}
        <ValueWithCount value={memory.credit} n={memory.evidence} />
      </td>
      <td className="whitespace-nowrap px-2">
        {memory.success == null ? null : <Outcome result={resultOf(memory.success)} />}{" "}
        {memory.source_trace_id == null ? (
          <span className="text-soft">none</span>
        ) : (
          <Link
            className="link"
            to="/p/$project/traces/$trace"
            params={{ project, trace: memory.source_trace_id }}
          >
            open<span className="sr-only"> the run of {task}</span>
          </Link>
        )}
      </td>
      <td className="px-2 text-soft">
        <Time at={memory.created_at} />
      </td>
    </tr>
  );
}

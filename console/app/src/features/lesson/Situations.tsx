// The situations of a lesson: tasks, each with its value and the run that it was learned from.
import { Link } from "@tanstack/react-router";
import type { LessonDetail } from "../../api/lessons";
import type { StoredMemory } from "../../api/memories";
import { Key } from "../../keys/Key";
import { LessonValue } from "../../parts/LessonValue";
import { shown } from "../../parts/reveal";
import { SourceBadge } from "../../parts/SourceBadge";
import { Time } from "../../parts/time";
import { SelectRow } from "../../parts/VirtualTable";
import { t } from "../../texts";
import type { Selection } from "../memories/selection";
import { StatusChips } from "../memories/StatusChips";
import { Block } from "../memory/Block";
import { canLeave } from "./situation-rules";

/** Columns of large screens. */
const WIDE = "max-lg:hidden";

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
  const { situations: texts } = t.lesson;
  const { columns } = texts;
  const head = "px-2 py-1 text-start font-semibold";
  return (
    <Block title={texts.title} about={texts.about}>
      {props.onSelect === null ? null : (
        <p className="flex flex-wrap items-center gap-2">
          <button
            type="button"
            className="btn btn-small"
            disabled={selected.size === 0}
            onClick={props.onSplit}
          >
            {texts.split} <Key name="s" />
          </button>
          <button
            type="button"
            className="btn btn-small"
            disabled={selected.size !== 1}
            onClick={props.onMove}
          >
            {texts.move} <Key name="v" />
          </button>
          <span className="text-sm text-soft">
            {selected.size === 0 ? texts.select : texts.selected(selected.size)}
          </span>
        </p>
      )}
      <div className="relative overflow-x-auto">
        <table className="w-full table-fixed text-sm lg:min-w-[38rem]">
          <caption className="sr-only">{texts.title}</caption>
          <thead>
            <tr className="text-xs text-soft">
              {props.onSelect === null ? null : (
                <th scope="col" className="w-9">
                  <span className="sr-only">{columns.selected}</span>
                </th>
              )}
              <th scope="col" className={head}>
                {columns.task}
              </th>
              <th scope="col" className={`w-72 ${WIDE} ${head}`}>
                {columns.value}
              </th>
              <th scope="col" className={`w-16 ${head}`}>
                {columns.run}
              </th>
              <th scope="col" className={`w-24 ${WIDE} ${head}`}>
                {columns.age}
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
        <p className="text-sm text-soft">{texts.merged}</p>
      )}
      <p className="text-sm">
        <Link
          className="link"
          to="/p/$project/memories"
          params={{ project }}
          search={{ list: "situations", q: `lesson:${lesson.id}` }}
        >
          {texts.all}
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
  const { situations: texts } = t.lesson;
  const task = shown(memory.task) || texts.noTask;
  return (
    <tr className="border-t border-line">
      {onSelect === null ? null : (
        <td>
          {canLeave(memory) ? (
            <SelectRow name={task} checked={props.selected} onChange={() => onSelect(memory.id)} />
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
        <span className="flex flex-wrap items-center gap-1">
          {memory.status === "active" && !memory.pinned ? null : (
            <StatusChips memory={{ ...memory, flags: [] }} />
          )}
          <SourceBadge success={memory.success} />
        </span>
        {memory.absorbed > 0 ? (
          <span className="text-xs text-soft">{t.memories.merged(memory.absorbed)}</span>
        ) : null}
        <div className="lg:hidden">
          <LessonValue of={memory} row />
        </div>
      </td>
      <td className={`px-2 ${WIDE}`}>
        <LessonValue of={memory} row />
      </td>
      <td className="whitespace-nowrap px-2">
        {memory.source_trace_id == null ? (
          <span className="text-soft">{texts.noRun}</span>
        ) : (
          <Link
            className="link"
            to="/p/$project/traces/$trace"
            params={{ project, trace: memory.source_trace_id }}
          >
            {texts.openRun(task)}
          </Link>
        )}
      </td>
      <td className={`px-2 text-soft ${WIDE}`}>
        <Time at={memory.created_at} />
      </td>
    </tr>
  );
}

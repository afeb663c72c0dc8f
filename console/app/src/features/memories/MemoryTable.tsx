// The table of situations: their tasks, each with the text of its lesson.
import type { StoredMemory } from "../../api/memories";
import { LessonValue } from "../../parts/LessonValue";
import { shown } from "../../parts/reveal";
import { SourceBadge } from "../../parts/SourceBadge";
import { pathOf, RowLink } from "../../parts/RowLink";
import {
  type CellsProps,
  type Column,
  type ListProps,
  type RowHeights,
  WIDE_ONLY,
  VirtualTable,
  EXTRA_WIDE_ONLY,
} from "../../parts/VirtualTable";
import { number, Time } from "../../parts/time";
import { t } from "../../texts";
import { StatusChips } from "./StatusChips";
import { oneLine } from "./labels";

function columns(): readonly Column[] {
  const { columns: names } = t.memories.list;
  return [
    { name: names.taskAndLesson, width: "auto", compact: true },
    { name: names.status, width: "10rem" },
    { name: names.source, width: "8.5rem", wideOnly: EXTRA_WIDE_ONLY, about: names.sourceAbout },
    { name: names.value, width: "18rem", about: names.valueAbout },
    { name: names.lastUsed, width: "6.5rem", right: true, wideOnly: EXTRA_WIDE_ONLY },
    { name: names.age, width: "5rem", right: true, wideOnly: WIDE_ONLY },
  ];
}
const HEIGHTS: RowHeights = { large: 48, small: 76 };

export function MemoryTable(props: ListProps<StoredMemory> & { onAll: () => void }) {
  return (
    <VirtualTable
      {...props}
      label={t.memories.list.situations}
      columns={columns()}
      heights={HEIGHTS}
      Cells={Cells}
      nameOf={nameOf}
    />
  );
}

const lessonOf = (row: StoredMemory) => shown(oneLine(row));
const nameOf = (row: StoredMemory) => `${shown(row.task)}: ${lessonOf(row)}`;

function Cells({ project, narrow, compact, row }: CellsProps<StoredMemory>) {
  const isServed = row.status === "active" || row.status === "quarantined";
  const value = <LessonValue of={row} row />;
  return (
    <>
      <td className="px-2">
        <p className="flex items-center gap-1.5">
          <RowLink
            path={pathOf(project, "memories", row.id)}
            className={`min-w-0 truncate hover:underline ${isServed ? "" : "text-soft"}`}
            title={shown(row.task)}
          >
            {row.task === "" ? lessonOf(row) : shown(row.task)}
          </RowLink>
          {row.absorbed > 0 ? (
            <span className="text-xs text-soft" title={t.memories.merged(row.absorbed)}>
              +{number(row.absorbed)}
            </span>
          ) : null}
          {compact && row.status !== "active" ? (
            <StatusChips memory={{ status: row.status }} oneLine />
          ) : null}
        </p>
        {row.task === "" ? null : <p className="truncate text-xs text-soft">{lessonOf(row)}</p>}
        {compact ? value : null}
      </td>
      {compact ? null : (
        <td className="overflow-hidden whitespace-nowrap px-2">
          <StatusChips memory={row} oneLine />
        </td>
      )}
      {compact || narrow ? null : (
        <td className={`px-2 ${EXTRA_WIDE_ONLY}`}>
          <SourceBadge success={row.success} />
        </td>
      )}
      {compact ? null : <td className="px-2">{value}</td>}
      {compact || narrow ? null : (
        <>
          <td className={`px-2 text-end text-soft ${EXTRA_WIDE_ONLY}`}>{row.last_used ?? "–"}</td>
          <td className={`px-2 text-end text-soft ${WIDE_ONLY}`}>
            <Time at={row.created_at} />
          </td>
        </>
      )}
    </>
  );
}

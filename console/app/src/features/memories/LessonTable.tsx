// The table of lessons, each with the situations that it holds for.
import type { Lesson } from "../../api/lessons";
import { LessonValue } from "../../parts/LessonValue";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import { Time } from "../../parts/time";
import {
  type CellsProps,
  type Column,
  type ListProps,
  type RowHeights,
  VirtualTable,
  WIDE_ONLY,
} from "../../parts/VirtualTable";
import { t } from "../../texts";
import { oneLine, situationsLine } from "./labels";
import { StatusChips } from "./StatusChips";

function columns(): readonly Column[] {
  const { columns: names } = t.memories.list;
  return [
    { name: names.lessonAndSituations, width: "auto", compact: true },
    { name: names.status, width: "10rem" },
    { name: names.value, width: "19.5rem", about: names.valueAbout },
    { name: names.lastUsed, width: "6.5rem", right: true, wideOnly: WIDE_ONLY },
    { name: names.age, width: "5rem", right: true },
  ];
}
const HEIGHTS: RowHeights = { large: 48, small: 76 };

export function LessonTable(props: ListProps<Lesson> & { onAll: () => void }) {
  return (
    <VirtualTable
      {...props}
      label={t.memories.list.lessons}
      columns={columns()}
      heights={HEIGHTS}
      Cells={Cells}
      nameOf={textOf}
    />
  );
}

const textOf = (row: Lesson) => shown(oneLine(row));

function Cells({ project, compact, row }: CellsProps<Lesson>) {
  const isServed = row.status === "active" || row.status === "quarantined";
  const value = <LessonValue of={row} row />;
  return (
    <>
      <td className="px-2">
        <p className="flex items-center gap-1.5">
          <RowLink
            path={pathOf(project, "lessons", row.id)}
            className={`min-w-0 truncate hover:underline ${isServed ? "" : "text-soft"}`}
          >
            {textOf(row)}
          </RowLink>
          {compact && row.status !== "active" ? (
            <StatusChips memory={{ status: row.status }} oneLine />
          ) : null}
        </p>
        <p className="truncate text-xs text-soft">{shown(situationsLine(row))}</p>
        {compact ? value : null}
      </td>
      {compact ? null : (
        <>
          <td className="overflow-hidden px-2">
            <StatusChips memory={row} />
          </td>
          <td className="px-2">{value}</td>
          <td className={`px-2 text-end text-soft ${WIDE_ONLY}`}>{row.last_used ?? "–"}</td>
          <td className="px-2 text-end text-soft">
            <Time at={row.created_at} />
          </td>
        </>
      )}
    </>
  );
}

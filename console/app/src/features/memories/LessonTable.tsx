// The table of lessons.
import type { Lesson } from "../../api/lessons";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import { Time } from "../../parts/time";
import {
  type CellsProps,
  type Column,
  EXTRA_WIDE_ONLY,
  type ListProps,
  VirtualTable,
  WIDE_ONLY,
} from "../../parts/VirtualTable";
import { creditRange, oneLine } from "./labels";
import { StatusChips } from "./StatusChips";

const COLUMNS: readonly Column[] = [
  { name: "Lesson", width: "auto" },
  { name: "Status", width: "10rem" },
  { name: "Situations", width: "5.5rem", right: true, about: "Tasks for which this lesson may be served" },
  {
    name: "Runs passed",
    width: "6.5rem",
    right: true,
    wideOnly: WIDE_ONLY,
    about: "The runs that taught this lesson",
  },
  {
    name: "Credit",
    width: "7.5rem",
    right: true,
    wideOnly: WIDE_ONLY,
    about: "How much better than expected the runs that used it did, from the worst situation to the best",
  },
  {
    name: "Uses",
    width: "7rem",
    right: true,
    wideOnly: WIDE_ONLY,
    about: "Reviewed runs that used this lesson",
  },
  { name: "Last used", width: "6.5rem", right: true, wideOnly: EXTRA_WIDE_ONLY },
  { name: "Age", width: "5rem", right: true },
];

export function LessonTable(props: ListProps<Lesson> & { onAll: () => void }) {
  return <VirtualTable {...props} label="Lessons" columns={COLUMNS} Cells={Cells} nameOf={textOf} />;
}

const textOf = (row: Lesson) => shown(oneLine(row));

function Cells({ project, row }: CellsProps<Lesson>) {
  return (
    <>
      <td className="truncate px-2">
        <RowLink
          path={pathOf(project, "lessons", row.id)}
          className={`hover:underline ${row.status === "active" || row.status === "quarantined" ? "" : "text-soft"}`}
          title={shown(row.task)}
        >
          {textOf(row)}
        </RowLink>
      </td>
      <td className="overflow-hidden whitespace-nowrap px-2">
        <StatusChips memory={row} oneLine />
      </td>
      <td className="px-2 text-end">{row.situations.toLocaleString()}</td>
      <td className={`whitespace-nowrap px-2 text-end ${WIDE_ONLY}`}>
        {row.passed_runs.toLocaleString()} of {row.runs.toLocaleString()}
      </td>
      <td className={`whitespace-nowrap px-2 text-end ${WIDE_ONLY}`}>{creditRange(row.credit_range)}</td>
      <td className={`whitespace-nowrap px-2 text-end ${WIDE_ONLY}`}>
        {row.reviews === 0 ? (
          <span className="text-soft">never</span>
        ) : (
          <>
            {row.passes.toLocaleString()} of {row.reviews.toLocaleString()} passed
          </>
        )}
      </td>
      <td className={`px-2 text-end text-soft ${EXTRA_WIDE_ONLY}`}>{row.last_used ?? "–"}</td>
      <td className="px-2 text-end text-soft">
        <Time at={row.created_at} />
      </td>
    </>
  );
}

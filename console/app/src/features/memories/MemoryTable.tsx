// The table of situations: their tasks, each with the text of its lesson.
import type { StoredMemory } from "../../api/memories";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import {
  type CellsProps,
  type Column,
  type ListProps,
  WIDE_ONLY,
  VirtualTable,
  EXTRA_WIDE_ONLY,
} from "../../parts/VirtualTable";
import { counted, Time } from "../../parts/time";
import { StatusChips } from "./StatusChips";
import { oneLine, resultOf } from "./labels";
import { CreditBar, describeInterval, ValueWithCount } from "./Credit";

const COLUMNS: readonly Column[] = [
  { name: "Task and lesson", width: "auto" },
  { name: "Status", width: "10rem" },
  { name: "Result", width: "5rem", about: "The result of the run this memory was learned from" },
  {
    name: "Utility",
    width: "6rem",
    right: true,
    about: "The value that ranks this memory, under the ranking of the project",
  },
  {
    name: "Credit",
    width: "9.5rem",
    right: true,
    wideOnly: WIDE_ONLY,
    about: "How much better than expected the runs that used it did",
  },
  {
    name: "Uses",
    width: "7rem",
    right: true,
    wideOnly: WIDE_ONLY,
    about: "Reviewed runs that used this memory",
  },
  { name: "Last used", width: "6.5rem", right: true, wideOnly: EXTRA_WIDE_ONLY },
  { name: "Origin", width: "5.5rem", wideOnly: EXTRA_WIDE_ONLY },
  { name: "Age", width: "5rem", right: true },
];

export function MemoryTable(props: ListProps<StoredMemory> & { onAll: () => void }) {
  return <VirtualTable {...props} label="Situations" columns={COLUMNS} Cells={Cells} nameOf={nameOf} />;
}

const lessonOf = (row: StoredMemory) => shown(oneLine(row));
const nameOf = (row: StoredMemory) => `${shown(row.task)}: ${lessonOf(row)}`;

function Cells({ project, narrow, row }: CellsProps<StoredMemory>) {
  return (
    <>
      <td className="truncate px-2">
        <RowLink
          path={pathOf(project, "memories", row.id)}
          className={`hover:underline ${row.status === "active" || row.status === "quarantined" ? "" : "text-soft"}`}
          title={shown(row.task)}
        >
          {row.task === "" ? lessonOf(row) : shown(row.task)}
        </RowLink>
        {row.task === "" ? null : <span className="ms-1.5 text-soft">{lessonOf(row)}</span>}
        {row.absorbed > 0 ? (
          <span
            className="ms-1.5 text-xs text-soft"
            title={`${counted(row.absorbed, "other is", "others are")} merged into it`}
          >
            +{row.absorbed.toLocaleString()}
          </span>
        ) : null}
      </td>
      <td className="overflow-hidden whitespace-nowrap px-2">
        <StatusChips memory={row} oneLine />
      </td>
      <td className="px-2">
        {row.success == null ? (
          <span className="text-soft">–</span>
        ) : (
          <Outcome result={resultOf(row.success)} />
        )}
      </td>
      <td className="whitespace-nowrap px-2 text-end">
        <ValueWithCount value={row.utility} n={row.reviews} />
      </td>
      {narrow ? null : (
        <>
          <td
            className={`whitespace-nowrap px-2 text-end ${WIDE_ONLY}`}
            title={describeInterval(row.credit_interval)}
          >
            <CreditBar credit={row.credit} interval={row.credit_interval} />{" "}
            <ValueWithCount value={row.credit} n={row.evidence} />
          </td>
          <td className={`whitespace-nowrap px-2 text-end ${WIDE_ONLY}`}>
            {row.reviews === 0 ? (
              <span className="text-soft">never</span>
            ) : (
              <>
                {row.passes.toLocaleString()} of {row.reviews.toLocaleString()} passed
              </>
            )}
          </td>
          <td className={`px-2 text-end text-soft ${EXTRA_WIDE_ONLY}`}>
            {row.last_used == null ? "–" : row.last_used}
          </td>
          <td className={`truncate px-2 text-soft ${EXTRA_WIDE_ONLY}`}>{row.origin}</td>
        </>
      )}
      <td className="px-2 text-end text-soft">
        <Time at={row.created_at} />
      </td>
    </>
  );
}

// The table of memories.
import type { StoredMemory } from "../../api/memories";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import {
  type CellsProps,
  type Column,
  type ListProps,
  ROOMY,
  RowsTable,
  SPACIOUS,
} from "../../parts/RowsTable";
import { Time } from "../../parts/time";
import { StatusChips } from "./StatusChips";
import { oneLine, resultOf } from "./wording";
import { CreditBar, intervalWords, WithN } from "./Worth";

const COLUMNS: readonly Column[] = [
  { name: "Lesson", width: "auto" },
  { name: "Status", width: "10rem" },
  { name: "Result", width: "5rem", about: "What became of the run it was learned from" },
  {
    name: "Utility",
    width: "6rem",
    right: true,
    about: "Moved by every review of a run that was shown it",
  },
  {
    name: "Credit",
    width: "9.5rem",
    right: true,
    roomy: ROOMY,
    about: "What it was worth beyond expectation",
  },
  { name: "Uses", width: "7rem", right: true, roomy: ROOMY, about: "Reviewed runs that were shown it" },
  { name: "Last used", width: "6.5rem", right: true, roomy: SPACIOUS },
  { name: "Origin", width: "5.5rem", roomy: SPACIOUS },
  { name: "Age", width: "5rem", right: true },
];

export function MemoryTable(props: ListProps<StoredMemory> & { onAll: () => void }) {
  return <RowsTable {...props} label="Memories" columns={COLUMNS} Cells={Cells} nameOf={lessonOf} />;
}

const lessonOf = (row: StoredMemory) => shown(oneLine(row));

function Cells({ project, narrow, row }: CellsProps<StoredMemory>) {
  return (
    <>
      <td className="truncate px-2">
        <RowLink
          path={pathOf(project, "memories", row.id)}
          className={`hover:underline ${row.status === "active" || row.status === "quarantined" ? "" : "text-soft"}`}
          title={shown(row.task)}
        >
          {lessonOf(row)}
        </RowLink>
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
        <WithN value={row.q_value} n={row.reviews} />
      </td>
      {narrow ? null : (
        <>
          <td
            className={`whitespace-nowrap px-2 text-end ${ROOMY}`}
            title={intervalWords(row.credit_interval)}
          >
            <CreditBar credit={row.credit} interval={row.credit_interval} />{" "}
            <WithN value={row.credit} n={row.evidence} />
          </td>
          <td className={`whitespace-nowrap px-2 text-end ${ROOMY}`}>
            {row.reviews === 0 ? (
              <span className="text-soft">never</span>
            ) : (
              <>
                {row.passes.toLocaleString()} of {row.reviews.toLocaleString()} passed
              </>
            )}
          </td>
          <td className={`px-2 text-end text-soft ${SPACIOUS}`}>
            {row.last_used == null ? "–" : row.last_used}
          </td>
          <td className={`truncate px-2 text-soft ${SPACIOUS}`}>{row.origin}</td>
        </>
      )}
      <td className="px-2 text-end text-soft">
        <Time at={row.created_at} />
      </td>
    </>
  );
}

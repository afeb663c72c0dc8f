// The table of memories: an ordinary table of which only the visible rows are drawn.
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef } from "react";
import type { StoredMemory } from "../../api/memories";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import { Scroll } from "../../parts/Scroll";
import { Time } from "../../parts/time";
import type { Chosen } from "./selection";
import { StatusChips } from "./StatusChips";
import { oneLine, resultOf } from "./wording";
import { CreditBar, intervalWords, WithN } from "./Worth";

const ROW = 32;
/** What a small screen has no room for. */
const ROOMY = "max-xl:hidden";

/** Columns; the roomy ones give way when something stands beside the table. */
const COLUMNS: readonly { name: string; width: string; right?: boolean; roomy?: boolean; about?: string }[] =
  [
    { name: "Lesson", width: "auto" },
    { name: "Status", width: "12.5rem" },
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
      roomy: true,
      about: "What it was worth beyond expectation",
    },
    { name: "Uses", width: "7rem", right: true, roomy: true, about: "Reviewed runs that were shown it" },
    { name: "Last used", width: "6.5rem", right: true, roomy: true },
    { name: "Origin", width: "5.5rem", roomy: true },
    { name: "Age", width: "5rem", right: true },
  ];

type Props = {
  project: string;
  narrow: boolean;
  rows: StoredMemory[];
  /** The row that keys act on. */
  at: number;
  selected: Chosen;
  onAt: (index: number) => void;
  onSelect: (id: string) => void;
  onAll: () => void;
  onEnd: () => void;
};

export function MemoryTable(props: Props) {
  const place = useRef<HTMLElement>(null);
  const { rows, at, onEnd } = props;
  const columns = COLUMNS.filter((column) => !props.narrow || column.roomy !== true);
  // oxlint-disable-next-line react-hooks-js/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    overscan: 12,
    scrollPaddingStart: ROW,
  });
  const visible = virtual.getVirtualItems();
  const first = visible[0]?.start ?? 0;
  const last = visible.at(-1)?.end ?? 0;
  const lastIndex = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastIndex >= rows.length - 20) onEnd();
  }, [lastIndex, rows.length, onEnd]);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
    // Only a move of the row is followed.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [at]);
  return (
    <Scroll ref={place} label="Memories" className="min-h-0 min-w-0 flex-1 overflow-auto">
      <table
        className="w-full min-w-[40rem] table-fixed border-collapse text-sm"
        aria-rowcount={rows.length + 1}
      >
        <colgroup>
          <col style={{ width: "2.25rem" }} />
          {columns.map((column) => (
            <col
              key={column.name}
              className={column.roomy === true ? ROOMY : ""}
              style={{ width: column.width }}
            />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10 bg-paper shadow-[0_1px_0_var(--line)]">
          <tr className="h-8 text-xs text-soft">
            <th scope="col" className="ps-2 text-start">
              <input
                type="checkbox"
                aria-label={`Select all ${rows.length.toLocaleString()} that are shown`}
                className="block h-4 w-4 accent-accent"
                checked={rows.length > 0 && rows.every((row) => props.selected.has(row.id))}
                onChange={props.onAll}
              />
            </th>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                title={column.about}
                className={`px-2 font-semibold ${column.right === true ? "text-end" : "text-start"} ${column.roomy === true ? ROOMY : ""}`}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 ? <tr aria-hidden="true" style={{ height: first }} /> : null}
          {visible.map((item) => {
            const row = rows[item.index];
            return row === undefined ? null : (
              <Row
                key={row.id}
                project={props.project}
                narrow={props.narrow}
                row={row}
                index={item.index}
                current={item.index === at}
                selected={props.selected.has(row.id)}
                onAt={props.onAt}
                onSelect={props.onSelect}
              />
            );
          })}
          {last < virtual.getTotalSize() ? (
            <tr aria-hidden="true" style={{ height: virtual.getTotalSize() - last }} />
          ) : null}
        </tbody>
      </table>
    </Scroll>
  );
}

const Row = memo(function Row(props: {
  project: string;
  narrow: boolean;
  row: StoredMemory;
  index: number;
  current: boolean;
  selected: boolean;
  onAt: (index: number) => void;
  onSelect: (id: string) => void;
}) {
  const { row, narrow } = props;
  const look = props.current ? "bg-accent-tint" : props.selected ? "bg-sunken" : "hover:bg-sunken";
  const lesson = shown(oneLine(row));
  return (
    <tr
      aria-rowindex={props.index + 2}
      aria-current={props.current ? "true" : undefined}
      className={`h-8 border-b border-line ${look}`}
      onClick={() => props.onAt(props.index)}
    >
      <td className="ps-2">
        <input
          type="checkbox"
          aria-label={`Select ${lesson}`}
          className="block h-4 w-4 accent-accent"
          checked={props.selected}
          onClick={(event) => event.stopPropagation()}
          onChange={() => props.onSelect(row.id)}
        />
      </td>
      <td className="truncate px-2">
        <RowLink
          path={pathOf(props.project, "memories", row.id)}
          className={`hover:underline ${row.status === "active" || row.status === "quarantined" ? "" : "text-soft"}`}
          title={shown(row.task)}
        >
          {lesson}
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
          <td className={`px-2 text-end text-soft ${ROOMY}`}>
            {row.last_used == null ? "–" : row.last_used}
          </td>
          <td className={`truncate px-2 text-soft ${ROOMY}`}>{row.origin}</td>
        </>
      )}
      <td className="px-2 text-end text-soft">
        <Time at={row.created_at} />
      </td>
    </tr>
  );
});

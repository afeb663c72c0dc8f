// The table of traces: an ordinary table of which only the visible rows are drawn.
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef } from "react";
import type { TraceLine } from "../../api/types";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import { lasting, Time } from "../../parts/time";
import { Scroll } from "../../parts/Scroll";

const ROW = 32;

/** Columns that make room when something stands beside the table. */
const ROOMY = new Set(["Learning", "Messages", "Memories", "Latency", "Tokens"]);
const COLUMNS: readonly { name: string; width: string; right?: boolean }[] = [
  { name: "Stored", width: "5rem" },
  { name: "Task", width: "auto" },
  { name: "Outcome", width: "6rem" },
  { name: "Learning", width: "7rem" },
  { name: "Messages", width: "5rem", right: true },
  { name: "Errors", width: "4rem", right: true },
  { name: "Memories", width: "5rem", right: true },
  { name: "Model", width: "9rem" },
  { name: "Latency", width: "5rem", right: true },
  { name: "Tokens", width: "5rem", right: true },
];

type Props = {
  project: string;
  narrow: boolean;
  rows: TraceLine[];
  /** The row that keys act on. */
  at: number;
  selected: ReadonlySet<string>;
  onAt: (index: number) => void;
  onSelect: (id: string) => void;
  onEnd: () => void;
};

export function TraceTable(props: Props) {
  const place = useRef<HTMLElement>(null);
  const { rows, at, onEnd } = props;
  const columns = COLUMNS.filter((column) => !props.narrow || !ROOMY.has(column.name));
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
    <Scroll ref={place} label="Traces" className="min-h-0 min-w-0 flex-1 overflow-auto">
      <table
        className="w-full min-w-[40rem] table-fixed border-collapse text-sm"
        aria-rowcount={rows.length + 1}
      >
        <colgroup>
          <col style={{ width: "2.25rem" }} />
          {columns.map((column) => (
            <col key={column.name} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10 bg-paper shadow-[0_1px_0_var(--line)]">
          <tr className="h-8 text-xs text-soft">
            <th scope="col">
              <span className="sr-only">Selected</span>
            </th>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`px-2 font-semibold ${column.right === true ? "text-end" : "text-start"}`}
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
  row: TraceLine;
  index: number;
  current: boolean;
  selected: boolean;
  onAt: (index: number) => void;
  onSelect: (id: string) => void;
}) {
  const { row } = props;
  const look = props.current ? "bg-accent-tint" : props.selected ? "bg-sunken" : "hover:bg-sunken";
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
          aria-label={`Select ${row.task}`}
          className="block h-4 w-4 accent-accent"
          checked={props.selected}
          onClick={(event) => event.stopPropagation()}
          onChange={() => props.onSelect(row.id)}
        />
      </td>
      <td className="px-2 text-soft">
        <Time at={row.created_at} />
      </td>
      <td className="truncate px-2">
        <RowLink path={pathOf(props.project, "traces", row.id)} className="hover:underline">
          {shown(row.task) || "(no task)"}
        </RowLink>
      </td>
      <td className="px-2">
        <Outcome result={row.result} />
      </td>
      {props.narrow ? null : (
        <>
          <td className={`truncate px-2 ${row.ingest_status === "failed" ? "text-fail" : "text-soft"}`}>
            {learning(row)}
          </td>
          <td className="px-2 text-end">{row.messages.toLocaleString()}</td>
        </>
      )}
      <td className={`px-2 text-end ${row.errors != null && row.errors > 0 ? "text-fail" : "text-soft"}`}>
        {row.errors ?? "–"}
      </td>
      {props.narrow ? null : <td className="px-2 text-end">{row.memories}</td>}
      <td className="truncate px-2 text-soft">{shown(row.model ?? "–")}</td>
      {props.narrow ? null : (
        <>
          <td className="px-2 text-end text-soft">
            {row.latency_ms == null ? "–" : lasting(row.latency_ms / 1000)}
          </td>
          <td className="px-2 text-end text-soft">
            {row.tokens == null ? "–" : row.tokens.toLocaleString()}
          </td>
        </>
      )}
    </tr>
  );
});

function learning(row: TraceLine): string {
  if (row.result == null) return "–";
  if (row.ingest_status === "completed") return row.created_memory_id == null ? "done" : "memory made";
  return row.ingest_status;
}

// The table of traces.
import type { TraceLine } from "../../api/types";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import {
  type CellsProps,
  type Column,
  type ListProps,
  WIDE_ONLY,
  VirtualTable,
} from "../../parts/VirtualTable";
import { duration, Time } from "../../parts/time";

const COLUMNS: readonly Column[] = [
  { name: "Stored", width: "5rem" },
  { name: "Task", width: "auto" },
  { name: "Outcome", width: "6rem" },
  { name: "Learning", width: "7rem", wideOnly: WIDE_ONLY },
  { name: "Messages", width: "5rem", right: true, wideOnly: WIDE_ONLY },
  { name: "Errors", width: "4rem", right: true },
  { name: "Memories", width: "5rem", right: true, wideOnly: WIDE_ONLY },
  { name: "Model", width: "9rem" },
  { name: "Latency", width: "5rem", right: true, wideOnly: WIDE_ONLY },
  { name: "Tokens", width: "5rem", right: true, wideOnly: WIDE_ONLY },
];

export function TraceTable(props: ListProps<TraceLine>) {
  return <VirtualTable {...props} label="Traces" columns={COLUMNS} Cells={Cells} nameOf={taskOf} />;
}

const taskOf = (row: TraceLine) => shown(row.task) || "(no task)";

function Cells({ project, narrow, row }: CellsProps<TraceLine>) {
  return (
    <>
      <td className="px-2 text-soft">
        <Time at={row.created_at} />
      </td>
      <td className="truncate px-2">
        <RowLink path={pathOf(project, "traces", row.id)} className="hover:underline">
          {taskOf(row)}
        </RowLink>
      </td>
      <td className="px-2">
        <Outcome result={row.result} />
      </td>
      {narrow ? null : (
        <>
          <td
            className={`truncate px-2 ${WIDE_ONLY} ${row.ingest_status === "failed" ? "text-fail" : "text-soft"}`}
          >
            {learning(row)}
          </td>
          <td className={`px-2 text-end ${WIDE_ONLY}`}>{row.messages.toLocaleString()}</td>
        </>
      )}
      <td className={`px-2 text-end ${row.errors != null && row.errors > 0 ? "text-fail" : "text-soft"}`}>
        {row.errors ?? "–"}
      </td>
      {narrow ? null : <td className={`px-2 text-end ${WIDE_ONLY}`}>{row.memories}</td>}
      <td className="truncate px-2 text-soft">{shown(row.model ?? "–")}</td>
      {narrow ? null : (
        <>
          <td className={`px-2 text-end text-soft ${WIDE_ONLY}`}>
            {row.latency_ms == null ? "–" : duration(row.latency_ms / 1000)}
          </td>
          <td className={`px-2 text-end text-soft ${WIDE_ONLY}`}>
            {row.tokens == null ? "–" : row.tokens.toLocaleString()}
          </td>
        </>
      )}
    </>
  );
}

function learning(row: TraceLine): string {
  if (row.result == null) return "–";
  if (row.ingest_status === "completed") return row.created_memory_id == null ? "done" : "memory created";
  return row.ingest_status;
}

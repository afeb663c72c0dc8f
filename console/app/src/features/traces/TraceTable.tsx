// The table of traces.
import type { TraceLine } from "../../api/types";
import { Outcome } from "../../parts/Outcome";
import { shown } from "../../parts/reveal";
import { pathOf, RowLink } from "../../parts/RowLink";
import {
  type CellsProps,
  type Column,
  type ListProps,
  type RowHeights,
  WIDE_ONLY,
  VirtualTable,
} from "../../parts/VirtualTable";
import { duration, number, Time } from "../../parts/time";
import { t } from "../../texts";

/** The widths fit the texts of every language. */
function columns(): readonly Column[] {
  const names = t.traces.columns;
  return [
    { name: names.stored, width: "6rem" },
    { name: names.task, width: "auto", compact: true },
    { name: names.outcome, width: "8.5rem" },
    { name: names.learning, width: "8rem", wideOnly: WIDE_ONLY },
    { name: names.messages, width: "5.5rem", right: true, wideOnly: WIDE_ONLY },
    { name: names.errors, width: "4rem", right: true },
    { name: names.memories, width: "6rem", right: true, wideOnly: WIDE_ONLY },
    { name: names.model, width: "9rem" },
    { name: names.latency, width: "5rem", right: true, wideOnly: WIDE_ONLY },
    { name: names.tokens, width: "5rem", right: true, wideOnly: WIDE_ONLY },
  ];
}

const HEIGHTS: RowHeights = { large: 32, small: 56 };

export function TraceTable(props: ListProps<TraceLine>) {
  return (
    <VirtualTable
      {...props}
      label={t.traces.title}
      columns={columns()}
      heights={HEIGHTS}
      Cells={Cells}
      nameOf={taskOf}
    />
  );
}

const taskOf = (row: TraceLine) => shown(row.task) || t.traces.noTask;

function Cells({ project, narrow, compact, row }: CellsProps<TraceLine>) {
  const task = (
    <RowLink path={pathOf(project, "traces", row.id)} className="hover:underline">
      {taskOf(row)}
    </RowLink>
  );
  if (compact)
    return (
      <td className="px-2">
        <p className="truncate">{task}</p>
        <p className="flex items-center gap-2 text-xs text-soft">
          <Outcome result={row.result} />
          <Time at={row.created_at} />
          {row.errors != null && row.errors > 0 ? (
            <span className="text-fail">{t.traces.errors(row.errors)}</span>
          ) : null}
        </p>
      </td>
    );
  return (
    <>
      <td className="px-2 text-soft">
        <Time at={row.created_at} />
      </td>
      <td className="truncate px-2">{task}</td>
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
          <td className={`px-2 text-end ${WIDE_ONLY}`}>{number(row.messages)}</td>
        </>
      )}
      <td className={`px-2 text-end ${row.errors != null && row.errors > 0 ? "text-fail" : "text-soft"}`}>
        {row.errors == null ? "–" : number(row.errors)}
      </td>
      {narrow ? null : <td className={`px-2 text-end ${WIDE_ONLY}`}>{number(row.memories)}</td>}
      <td className="truncate px-2 text-soft">{shown(row.model ?? "–")}</td>
      {narrow ? null : (
        <>
          <td className={`px-2 text-end text-soft ${WIDE_ONLY}`}>
            {row.latency_ms == null ? "–" : duration(row.latency_ms / 1000)}
          </td>
          <td className={`px-2 text-end text-soft ${WIDE_ONLY}`}>
            {row.tokens == null ? "–" : number(row.tokens)}
          </td>
        </>
      )}
    </>
  );
}

function learning(row: TraceLine): string {
  if (row.result == null) return "–";
  const texts = t.traces.learning;
  if (row.ingest_status === "completed" && row.created_memory_id != null) return texts.memoryCreated;
  return texts[row.ingest_status];
}

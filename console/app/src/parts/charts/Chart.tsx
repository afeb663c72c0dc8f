// The frame of a chart: a summary sentence, the drawing, and the same data as a table.
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { Copy } from "../Copy";
import { csv, type Table } from "./table";

export function Chart(props: {
  /** What the chart shows, in one sentence with its numbers. */
  summary: string;
  height: number;
  table: Table;
  children: (width: number) => ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <figure className="flex flex-col gap-1">
      <figcaption id={id} className="text-sm text-soft">
        {props.summary}
      </figcaption>
      <div ref={place} style={{ minHeight: props.height }} className="min-w-0">
        {asTable || width === 0 ? null : (
          <svg role="img" aria-labelledby={id} width={width} height={props.height} className="block">
            {props.children(width)}
          </svg>
        )}
        <div className={asTable ? "max-h-72 overflow-auto" : "sr-only"} {...(asTable ? SCROLLS : {})}>
          <DataTable table={props.table} summary={props.summary} />
        </div>
      </div>
      <p className="flex gap-1">
        <button
          type="button"
          className="btn btn-small btn-plain"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? "Show chart" : "Show table"}
        </button>
        <Copy small plain text={csv(props.table)} label="Copy CSV" />
      </p>
    </figure>
  );
}

// A scroll area must be reachable by keyboard.
const SCROLLS = { tabIndex: 0, role: "group", "aria-label": "Data of the chart" };

function DataTable(props: { table: Table; summary: string }) {
  return (
    <table className="text-sm">
      <caption className="sr-only">{props.summary}</caption>
      <thead>
        <tr>
          {props.table.head.map((name) => (
            <th key={name} scope="col" className="border-b border-line pe-4 text-start font-semibold">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.table.rows.map((row) => (
          <tr key={row[0]}>
            {row.map((cell, at) => (
              <td key={props.table.head[at]} className="border-b border-line pe-4">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

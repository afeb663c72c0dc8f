// The frame of a chart: a summary sentence, the drawing with its values, and the same data as a table.
import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../texts";
import { Copy } from "../Copy";
import { Plot, type Point } from "./Plot";
import { csv, type Table } from "./table";

export function Chart(props: {
  /** What the chart shows, in one sentence with its numbers. */
  summary: string;
  height: number;
  table: Table;
  /** The values from left to right, in a drawing of this width. */
  points: (width: number) => readonly Point[];
  children: (width: number) => ReactNode;
}) {
  const { chart: texts } = t.parts;
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
          <Plot describedBy={id} points={props.points(width)} width={width} height={props.height}>
            {props.children(width)}
          </Plot>
        )}
        <div
          className={asTable ? "max-h-72 overflow-auto" : "sr-only"}
          {...(asTable ? { ...SCROLLS, "aria-label": texts.data } : {})}
        >
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
          {asTable ? texts.showChart : texts.showTable}
        </button>
        <Copy small plain text={csv(props.table)} label={texts.copyCsv} />
      </p>
    </figure>
  );
}

// A scroll area must be reachable by keyboard.
const SCROLLS = { tabIndex: 0, role: "group" };

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

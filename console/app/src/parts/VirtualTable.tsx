// A table that renders only the visible rows, each with a checkbox. On a small screen it has one column, in which a row
// has several lines.
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ComponentType, memo, type ReactElement, useEffect, useRef } from "react";
import { t } from "../texts";
import { Scroll } from "./Scroll";
import { useMedia } from "./useMedia";

const HEAD = 32;
const LARGE_SCREEN = "(min-width: 64rem)";
/** The distance to the end, in rows, at which more rows are loaded. */
const LOAD_MORE_ROWS = 20;
/** Hidden on screens of medium size. */
export const WIDE_ONLY = "max-xl:hidden";
/** Shown on large screens only. */
export const EXTRA_WIDE_ONLY = "max-2xl:hidden";

export type Column = {
  name: string;
  width: string;
  right?: boolean;
  /** Hidden on screens of this class, and while a panel is open beside the table. */
  wideOnly?: typeof WIDE_ONLY | typeof EXTRA_WIDE_ONLY;
  about?: string;
  /** The column of small screens. */
  compact?: boolean;
};
/** In a compact table, the cells are those of the compact column. */
export type CellsProps<R> = { project: string; narrow: boolean; compact: boolean; row: R };
/** The height of a row in pixels, on a large and on a small screen. */
export type RowHeights = { large: number; small: number };

export type ListProps<R> = {
  project: string;
  narrow: boolean;
  rows: R[];
  /** The row that keys act on. */
  at: number;
  selected: ReadonlySet<string>;
  onAt: (index: number) => void;
  onSelect: (id: string) => void;
  onEnd: () => void;
};

type Props<R> = ListProps<R> & {
  label: string;
  columns: readonly Column[];
  /** The cells of a row, in the order of the columns. */
  Cells: ComponentType<CellsProps<R>>;
  /** The name of a row. */
  nameOf: (row: R) => string;
  heights: RowHeights;
  /** Selects all loaded rows; without it there is no checkbox in the header. */
  onAll?: () => void;
};

export function VirtualTable<R extends { id: string }>(props: Props<R>) {
  const place = useRef<HTMLElement>(null);
  const { rows, at, onEnd } = props;
  const compact = !useMedia(LARGE_SCREEN);
  const height = compact ? props.heights.small : props.heights.large;
  const columns = props.columns.filter((column) =>
    compact ? column.compact : !props.narrow || column.wideOnly === undefined,
  );
  // oxlint-disable-next-line react-hooks-js/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    // Every rendered row adds layout cost to each frame.
    overscan: 6,
    scrollPaddingStart: HEAD,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const visible = virtual.getVirtualItems();
  const first = visible[0]?.start ?? 0;
  const last = visible.at(-1)?.end ?? 0;
  const lastIndex = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.length > 0 && lastIndex >= rows.length - LOAD_MORE_ROWS) onEnd();
  }, [lastIndex, rows.length, onEnd]);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
    // This effect must only run when the row changes.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [at]);
  return (
    <Scroll ref={place} label={props.label} className="min-h-0 min-w-0 flex-1 overflow-auto">
      <table
        className="w-full table-fixed lg:min-w-[40rem] border-collapse text-sm"
        aria-rowcount={rows.length + 1}
      >
        <colgroup>
          <col style={{ width: "2.25rem" }} />
          {columns.map((column) => (
            <col key={column.name} className={column.wideOnly ?? ""} style={{ width: column.width }} />
          ))}
        </colgroup>
        <thead className="sticky top-0 z-10 bg-paper shadow-[0_1px_0_var(--line)]">
          <tr className="h-8 text-xs text-soft">
            <th scope="col" className="ps-2 text-start">
              {props.onAll === undefined ? (
                <span className="sr-only">{t.parts.table.selected}</span>
              ) : (
                <input
                  type="checkbox"
                  aria-label={t.parts.table.selectAll(rows.length)}
                  className="block h-4 w-4 accent-accent"
                  checked={rows.length > 0 && rows.every((row) => props.selected.has(row.id))}
                  onChange={props.onAll}
                />
              )}
            </th>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                title={column.about}
                className={`px-2 font-semibold ${column.right === true ? "text-end" : "text-start"} ${column.wideOnly ?? ""}`}
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
                compact={compact}
                height={height}
                row={row}
                Cells={props.Cells}
                nameOf={props.nameOf}
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

type RowProps<R> = CellsProps<R> &
  Pick<Props<R>, "Cells" | "nameOf" | "onAt" | "onSelect"> & {
    index: number;
    height: number;
    current: boolean;
    selected: boolean;
  };

function PlainRow<R extends { id: string }>({ Cells, ...props }: RowProps<R>) {
  const look = props.current ? "bg-accent-tint" : props.selected ? "bg-sunken" : "hover:bg-sunken";
  return (
    <tr
      aria-rowindex={props.index + 2}
      aria-current={props.current ? "true" : undefined}
      className={`border-b border-line ${look}`}
      style={{ height: props.height }}
      onClick={(event) => {
        const isSelecting = event.target instanceof Element && event.target.closest("label") !== null;
        if (!isSelecting) props.onAt(props.index);
      }}
    >
      <td>
        <SelectRow
          name={props.nameOf(props.row)}
          checked={props.selected}
          onChange={() => props.onSelect(props.row.id)}
        />
      </td>
      <Cells project={props.project} narrow={props.narrow} compact={props.compact} row={props.row} />
    </tr>
  );
}

// `memo` loses the generic type parameter.
const Row = memo(PlainRow) as <R extends { id: string }>(props: RowProps<R>) => ReactElement;

/** The label makes the whole cell clickable, because a checkbox alone is too small for a finger. */
export function SelectRow(props: { name: string; checked: boolean; onChange: () => void }) {
  return (
    <label className="flex items-center ps-2 max-lg:min-h-11 max-lg:min-w-9">
      <input
        type="checkbox"
        aria-label={t.parts.table.select(props.name)}
        className="block h-4 w-4 accent-accent"
        checked={props.checked}
        onChange={props.onChange}
      />
    </label>
  );
}

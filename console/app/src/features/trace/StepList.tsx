// All steps in one line each, with the current one beside them.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { Step, TraceSteps } from "../../api/types";
import { shown } from "../../parts/reveal";
import { kindLabel } from "./cards";
import { StepBody, StepHead } from "./StepCard";
import { Scroll } from "../../parts/Scroll";
import { useMedia } from "../../parts/useMedia";
import { t } from "../../texts";

/** The height of a row in pixels, for a mouse and for a finger. */
const ROW = { large: 26, small: 40 };

export function StepList(props: {
  project: string;
  trace: string;
  first: TraceSteps;
  known: ReadonlyMap<number, Step>;
  at: number;
  onMove: (n: number) => void;
  want: (n: number) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const height = useMedia("(min-width: 64rem)") ? ROW.large : ROW.small;
  // oxlint-disable-next-line react-hooks-js/incompatible-library
  const virtual = useVirtualizer({
    count: props.first.total,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    overscan: 10,
  });
  useEffect(() => virtual.measure(), [virtual, height]);
  const rows = virtual.getVirtualItems();
  const { want } = props;
  const [first, last] = [rows[0]?.index, rows.at(-1)?.index];
  useEffect(() => {
    want(props.at);
    if (first !== undefined) want(first);
    if (last !== undefined) want(last);
  }, [first, last, props.at, want]);
  useEffect(() => {
    virtual.scrollToIndex(props.at, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [props.at]);
  const step = props.known.get(props.at);
  const failed = new Set(props.first.failed);
  return (
    <div className="flex min-h-0 flex-1 max-md:flex-col">
      <div
        ref={place}
        className="shrink-0 overflow-y-auto border-line max-md:h-2/5 max-md:border-b md:w-64 md:border-e xl:w-80"
      >
        <ol className="relative" style={{ height: virtual.getTotalSize() }}>
          {rows.map((row) => (
            <li
              key={row.key}
              className="absolute inset-x-0 top-0"
              style={{ height, transform: `translateY(${row.start}px)` }}
            >
              <button
                type="button"
                aria-current={row.index === props.at ? "step" : undefined}
                className={`flex h-full w-full items-center gap-2 px-2 text-start text-xs ${row.index === props.at ? "bg-accent-tint" : "hover:bg-sunken"}`}
                onClick={() => props.onMove(row.index)}
              >
                <span className="w-8 shrink-0 text-end text-soft">{row.index + 1}</span>
                <span
                  className={`w-20 shrink-0 whitespace-nowrap ${failed.has(row.index) ? "text-fail" : "text-soft"}`}
                >
                  {kindLabel(props.first.kinds[row.index] ?? "note")}
                </span>
                <span className="truncate">{shown(props.known.get(row.index)?.title ?? "")}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
      <Scroll label={t.trace.step.title(props.at + 1)} className="min-w-0 flex-1 overflow-y-auto p-3">
        {step === undefined ? null : (
          <>
            <StepHead step={step} />
            <StepBody key={step.n} project={props.project} trace={props.trace} step={step} unfolded />
          </>
        )}
      </Scroll>
    </div>
  );
}

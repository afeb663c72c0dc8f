// All steps in one line each, with the current one beside them.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import type { Step, TraceSteps } from "../../api/types";
import { shown } from "../../parts/reveal";
import { kindLabel } from "./cards";
import { StepBody, StepHead } from "./StepCard";
import { Scroll } from "../../parts/Scroll";

const ROW = 26;

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
  // oxlint-disable-next-line react-hooks-js/incompatible-library
  const virtual = useVirtualizer({
    count: props.first.total,
    getScrollElement: () => place.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
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
    <div className="flex min-h-0 flex-1">
      <div ref={place} className="w-80 shrink-0 overflow-y-auto border-e border-line">
        <ol className="relative" style={{ height: virtual.getTotalSize() }}>
          {rows.map((row) => (
            <li
              key={row.key}
              className="absolute inset-x-0 top-0"
              style={{ height: ROW, transform: `translateY(${row.start}px)` }}
            >
              <button
                type="button"
                aria-current={row.index === props.at ? "step" : undefined}
                className={`flex h-full w-full items-center gap-2 px-2 text-start text-xs ${row.index === props.at ? "bg-accent-tint" : "hover:bg-sunken"}`}
                onClick={() => props.onMove(row.index)}
              >
                <span className="w-8 shrink-0 text-end text-soft">{row.index + 1}</span>
                <span
                  className={`w-18 shrink-0 whitespace-nowrap ${failed.has(row.index) ? "text-fail" : "text-soft"}`}
                >
                  {kindLabel(props.first.kinds[row.index] ?? "note")}
                </span>
                <span className="truncate">{shown(props.known.get(row.index)?.title ?? "")}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
      <Scroll label={`Step ${props.at + 1}`} className="min-w-0 flex-1 overflow-y-auto p-3">
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

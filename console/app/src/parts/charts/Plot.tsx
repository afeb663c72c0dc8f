// The drawing of a chart. Its values are read by pointing at it, or with the arrow keys.
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from "react";
import { t } from "../../texts";

/** A value of the chart: its place and what is shown for it. */
export type Point = { x: number; text: string };

export function Plot(props: {
  describedBy: string;
  points: readonly Point[];
  width: number;
  height: number;
  children: ReactNode;
}) {
  const { points } = props;
  const [at, setAt] = useState<number | null>(null);
  const last = points.length - 1;
  const point = at === null ? undefined : points[at];
  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setAt(nearest(points, x));
  };
  const onKey = (event: KeyboardEvent) => {
    const next = keyTarget(event.key, at ?? last, last);
    if (next === null) return;
    event.preventDefault();
    setAt(next);
  };
  return (
    <>
      <div
        role="slider"
        tabIndex={0}
        aria-label={t.parts.chart.values}
        aria-describedby={props.describedBy}
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={(at ?? last) + 1}
        aria-valuetext={points[at ?? last]?.text}
        className="touch-pan-y"
        onKeyDown={onKey}
        onFocus={() => setAt(at ?? last)}
        onBlur={() => setAt(null)}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onPointerLeave={() => setAt(null)}
      >
        <svg aria-hidden="true" width={props.width} height={props.height} className="block">
          {point === undefined ? null : (
            <line x1={point.x} x2={point.x} y1={0} y2={props.height} className="stroke-edge" />
          )}
          {props.children}
        </svg>
      </div>
      <p aria-hidden="true" className={`min-h-5 text-sm ${point === undefined ? "text-soft" : ""}`}>
        {point?.text ?? t.parts.chart.hint}
      </p>
    </>
  );
}

function nearest(points: readonly Point[], x: number): number {
  const distances = points.map((point) => Math.abs(point.x - x));
  return distances.indexOf(Math.min(...distances));
}

function keyTarget(key: string, at: number, last: number): number | null {
  if (key === "ArrowLeft") return Math.max(0, at - 1);
  if (key === "ArrowRight") return Math.min(last, at + 1);
  if (key === "Home") return 0;
  return key === "End" ? last : null;
}

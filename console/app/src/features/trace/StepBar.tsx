// The bar above a replay: one tick per step, failed steps marked, and the current position.
import type { TraceSteps } from "../../api/types";
import { t } from "../../texts";
import { kindLabel } from "./cards";

/** More ticks would be narrower than a pixel, so only the failed ones are drawn. */
const MAX_TICKS = 240;
const TALL = new Set(["user", "assistant"]);

export function StepBar(props: { first: TraceSteps; at: number; onMove: (n: number) => void }) {
  const { total, kinds, failed } = props.first;
  const failing = new Set(failed);
  const drawn = total <= MAX_TICKS ? kinds.map((_, n) => n) : failed;
  const place = (n: number) => `${((n + 0.5) / total) * 100}%`;
  const kind = kinds[props.at];
  return (
    <div className="relative h-7 min-w-0 flex-1 rounded border border-line bg-sunken has-[:focus-visible]:outline-2 has-[:focus-visible]:outline-accent">
      <div aria-hidden="true" className="pointer-events-none absolute inset-x-1 inset-y-0">
        {drawn.map((n) => (
          <span
            key={n}
            className={`absolute bottom-1 w-0.5 -translate-x-1/2 ${failing.has(n) ? "top-1 bg-fail" : TALL.has(kinds[n] ?? "") ? "top-2 bg-soft" : "top-3.5 bg-edge"}`}
            style={{ left: place(n) }}
          />
        ))}
        <span
          className="absolute inset-y-0 w-1.5 -translate-x-1/2 rounded-sm border-2 border-accent"
          style={{ left: place(props.at) }}
        />
      </div>
      <input
        type="range"
        aria-label={t.trace.step.label}
        aria-valuetext={t.trace.step.position(
          props.at + 1,
          total,
          kind === undefined ? null : kindLabel(kind),
          failing.has(props.at),
        )}
        min={0}
        max={Math.max(0, total - 1)}
        value={props.at}
        onChange={(event) => props.onMove(event.target.valueAsNumber)}
        // After a click, return the keyboard focus to the page.
        onPointerUp={(event) => event.currentTarget.blur()}
        className="absolute inset-0 h-full w-full cursor-pointer opacity-0"
      />
    </div>
  );
}

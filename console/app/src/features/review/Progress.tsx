// The reviewer's progress and speed, and the number of unsent verdicts.
import { useSyncExternalStore } from "react";
import { outbox } from "./send";

export function Progress(props: { decided: number; left: number; seconds: number | null }) {
  const waiting = useSyncExternalStore(
    (listener) => outbox.subscribe(listener),
    () => outbox.unsent.length,
  );
  const { decided } = props;
  const all = decided + props.left;
  return (
    <span className="flex items-center gap-3">
      <span
        role="progressbar"
        aria-label="Reviewed"
        aria-valuemin={0}
        aria-valuemax={Math.max(1, all)}
        aria-valuenow={decided}
        className="block h-1.5 w-32 overflow-hidden rounded-full border border-edge bg-sunken"
      >
        <span
          className="block h-full bg-accent"
          style={{ width: `${(decided / Math.max(1, all)) * 100}%` }}
        />
      </span>
      <span>
        {decided} done, {props.left.toLocaleString()} left
      </span>
      {props.seconds === null ? null : (
        <span>
          {props.seconds.toFixed(1)} s each (n = {decided})
        </span>
      )}
      {waiting > 0 ? <span className="text-warn">{waiting} not sent yet</span> : null}
    </span>
  );
}

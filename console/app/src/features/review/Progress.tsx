// How far the reviewer has come, how fast, and what is still on its way.
import { useSyncExternalStore } from "react";
import { outbox } from "./post";

export function Progress(props: { decided: number; left: number; seconds: number | null }) {
  const waiting = useSyncExternalStore(
    (listener) => outbox.listen(listener),
    () => outbox.waiting.length,
  );
  const { decided } = props;
  const all = decided + props.left;
  return (
    <span className="flex items-center gap-3">
      <progress
        aria-label="Reviewed"
        className="h-1.5 w-32 accent-accent"
        max={Math.max(1, all)}
        value={decided}
      />
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

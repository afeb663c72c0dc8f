// How many runs the reviewer has decided, how many wait, and the number of unsent verdicts.
import { useSyncExternalStore } from "react";
import { t } from "../../texts";
import { outbox } from "./send";

export function Progress(props: {
  decided: number;
  waiting: { count: number; more: boolean };
  /** The number of waiting runs that match the filter; null without a filter. */
  matching: number | null;
}) {
  const unsent = useSyncExternalStore(
    (listener) => outbox.subscribe(listener),
    () => outbox.unsent.length,
  );
  const { decided, waiting } = props;
  const texts = t.review.progress;
  const all = Math.max(1, decided + waiting.count);
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <span
        role="progressbar"
        aria-label={texts.label}
        aria-valuemin={0}
        aria-valuemax={all}
        aria-valuenow={decided}
        className="block h-1.5 w-32 overflow-hidden rounded-full border border-edge bg-sunken max-lg:w-16 max-md:hidden"
      >
        <span className="block h-full bg-accent" style={{ width: `${(decided / all) * 100}%` }} />
      </span>
      <span>{texts.counts(props)}</span>
      {unsent > 0 ? <span className="text-warn">{texts.unsent(unsent)}</span> : null}
    </span>
  );
}

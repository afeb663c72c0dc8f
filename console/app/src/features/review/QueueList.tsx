// The runs of this session, in order. On a narrow screen the list is closed at first.
import { Check, Clock, SkipForward, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import type { Decision, Item } from "./session";

const SIGNS: Record<Decision, typeof Check> = { pass: Check, fail: X, deferred: Clock, skipped: SkipForward };
const TONES: Record<Decision, string> = {
  pass: "text-pass",
  fail: "text-fail",
  deferred: "text-warn",
  skipped: "text-soft",
};

export const QUEUE_ID = "queue";

export function QueueList(props: {
  items: Item[];
  at: string | null;
  /** The number of further runs in the queue, which are loaded later. */
  remaining: number;
  /** Whether the list is open on a narrow screen. A wide screen always shows it. */
  open: boolean;
  onGo: (trace: string) => void;
}) {
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // In braces: newer browsers return a promise, which is not a valid effect cleanup.
    here.current?.scrollIntoView({ block: "nearest" });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another run is another element
  }, [props.at]);
  const narrow = props.open
    ? "max-[1199px]:absolute max-[1199px]:inset-y-0 max-[1199px]:start-0 max-[1199px]:z-20 max-[1199px]:w-72 max-[1199px]:max-w-full max-[1199px]:bg-raised max-[1199px]:shadow-lg"
    : "max-[1199px]:hidden";
  return (
    <nav
      id={QUEUE_ID}
      aria-label={t.review.queue.title}
      className={`w-60 shrink-0 overflow-y-auto border-e border-line py-1 ${narrow}`}
    >
      <ol>
        {props.items.map(({ trace, decision }) => {
          const Sign = decision === null ? null : SIGNS[decision];
          const current = trace.trace_id === props.at;
          return (
            <li key={trace.trace_id} ref={current ? here : undefined}>
              <button
                type="button"
                aria-current={current ? "true" : undefined}
                className={`flex h-7 w-full items-center gap-1.5 px-3 text-start text-sm max-md:h-10 ${current ? "bg-accent-tint" : "hover:bg-sunken"} ${decision === null ? "" : "text-soft"}`}
                onClick={() => props.onGo(trace.trace_id)}
              >
                <span className="w-3.5 shrink-0">
                  {Sign === null || decision === null ? null : (
                    <Sign
                      size={13}
                      className={TONES[decision]}
                      aria-label={t.review.queue.decisions[decision]}
                    />
                  )}
                </span>
                <span className="truncate">{shown(trace.digest.task)}</span>
              </button>
            </li>
          );
        })}
      </ol>
      {props.remaining === 0 ? null : (
        <p className="px-3 py-1 ps-8 text-sm text-soft">{t.review.queue.more(props.remaining)}</p>
      )}
    </nav>
  );
}

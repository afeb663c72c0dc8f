// The runs of this session, in order.
import { Check, Clock, SkipForward, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { shown } from "../../parts/reveal";
import type { Decision, Item } from "./session";

const SIGNS: Record<Decision, typeof Check> = { pass: Check, fail: X, deferred: Clock, skipped: SkipForward };
const TONES: Record<Decision, string> = {
  pass: "text-pass",
  fail: "text-fail",
  deferred: "text-warn",
  skipped: "text-soft",
};

export function QueueList(props: { items: Item[]; at: string | null; onGo: (trace: string) => void }) {
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // In braces: newer browsers return a promise, which is not a valid effect cleanup.
    here.current?.scrollIntoView({ block: "nearest" });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another run is another element
  }, [props.at]);
  return (
    <nav aria-label="Queue" className="w-60 shrink-0 overflow-y-auto border-e border-line py-1 max-lg:hidden">
      <ol>
        {props.items.map(({ trace, decision }) => {
          const Sign = decision === null ? null : SIGNS[decision];
          const current = trace.trace_id === props.at;
          return (
            <li key={trace.trace_id} ref={current ? here : undefined}>
              <button
                type="button"
                aria-current={current ? "true" : undefined}
                className={`flex h-7 w-full items-center gap-1.5 px-3 text-start text-sm ${current ? "bg-accent-tint" : "hover:bg-sunken"} ${decision === null ? "" : "text-soft"}`}
                onClick={() => props.onGo(trace.trace_id)}
              >
                <span className="w-3.5 shrink-0">
                  {Sign === null || decision === null ? null : (
                    <Sign size={13} className={TONES[decision]} aria-label={decision} />
                  )}
                </span>
                <span className="truncate">{shown(trace.digest.task)}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}

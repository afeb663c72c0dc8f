// The filter and the order of the queue. A narrow screen has a button for the list; a small one shows the rest with it.
import { useRef } from "react";
import type { QueueOrder } from "../../api/types";
import { FilterBar } from "../../parts/FilterBar";
import { t } from "../../texts";
import { ORDERS } from "./order";
import { QUEUE_ID } from "./QueueList";
import { QUEUE_SUGGESTIONS } from "./suggestions";

export function QueueControls(props: {
  q: string;
  order: QueueOrder;
  onSearch: (next: { order?: QueueOrder; q?: string | undefined }) => void;
  /** Whether the list exists, and whether it is open on a narrow screen. */
  hasList: boolean;
  open: boolean;
  onToggle: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const texts = t.review.queue;
  return (
    <>
      <button
        type="button"
        className="btn btn-small min-[1200px]:hidden"
        aria-expanded={props.open}
        aria-controls={props.hasList ? QUEUE_ID : undefined}
        onClick={props.onToggle}
      >
        {texts.title}
      </button>
      <div
        className={`flex min-w-0 flex-1 flex-wrap items-center justify-end gap-2 ${props.open ? "" : "max-md:hidden"}`}
      >
        <FilterBar
          value={props.q}
          field={field}
          label={texts.filter}
          suggestions={QUEUE_SUGGESTIONS}
          hint={texts.filterHint}
          onChange={(text) => props.onSearch({ q: text === "" ? undefined : text })}
        />
        <label className="flex items-center gap-1 whitespace-nowrap text-sm text-soft">
          {texts.order}
          <select
            className="field w-auto"
            value={props.order}
            onChange={(event) => props.onSearch({ order: event.target.value as QueueOrder })}
          >
            {ORDERS.map((name) => (
              <option key={name} value={name}>
                {texts.orders[name]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </>
  );
}

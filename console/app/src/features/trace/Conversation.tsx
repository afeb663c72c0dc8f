// The run as a conversation. Long runs are virtualized.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { type Card, cardAt } from "./cards";
import { StepCard } from "./StepCard";
import { Scroll } from "../../parts/Scroll";
import { t } from "../../texts";

/** Up to this size everything is rendered, because the browser's own search needs that. */
const DRAW_ALL = 100;

type Props = {
  project: string;
  trace: string;
  cards: Card[];
  /** The current step, and whether to scroll to it. */
  at: number;
  follow: boolean;
  want: (n: number) => void;
};

export function Conversation(props: Props) {
  return props.cards.length <= DRAW_ALL ? <Whole {...props} /> : <Windowed {...props} />;
}

function Whole(props: Props) {
  const place = useRef<HTMLElement>(null);
  const current = cardAt(props.cards, props.at);
  useEffect(() => {
    if (props.follow) place.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current, props.follow]);
  return (
    <Scroll
      ref={place}
      label={t.trace.replay.views.conversation}
      className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3"
    >
      {props.cards.map((card, index) => (
        <div key={card.n}>
          <StepCard project={props.project} trace={props.trace} card={card} current={index === current} />
        </div>
      ))}
    </Scroll>
  );
}

function Windowed(props: Props) {
  const place = useRef<HTMLElement>(null);
  const current = cardAt(props.cards, props.at);
  const { want, cards } = props;
  // oxlint-disable-next-line react-hooks-js/incompatible-library
  const virtual = useVirtualizer({
    count: cards.length,
    getScrollElement: () => place.current,
    estimateSize: () => 96,
    overscan: 6,
    gap: 8,
    getItemKey: (index) => cards[index]?.n ?? index,
  });
  const rows = virtual.getVirtualItems();
  const first = cards[rows[0]?.index ?? 0]?.n;
  const last = cards[rows.at(-1)?.index ?? 0]?.n;
  useEffect(() => {
    if (first !== undefined) want(first);
    if (last !== undefined) want(last);
  }, [first, last, want]);
  useEffect(() => {
    if (props.follow) virtual.scrollToIndex(current, { align: "start" });
    // The virtualizer changes with every scroll. This effect must only run when the step changes.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [current, props.follow]);
  return (
    <Scroll
      ref={place}
      label={t.trace.replay.views.conversation}
      className="min-h-0 flex-1 overflow-y-auto p-3"
    >
      <div className="relative w-full" style={{ height: virtual.getTotalSize() }}>
        {rows.map((row) => {
          const card = cards[row.index];
          return card === undefined ? null : (
            <div
              key={row.key}
              ref={virtual.measureElement}
              data-index={row.index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <StepCard
                project={props.project}
                trace={props.trace}
                card={card}
                current={row.index === current}
              />
            </div>
          );
        })}
      </div>
    </Scroll>
  );
}

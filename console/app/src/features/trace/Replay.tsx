// Replays a trajectory: as a conversation, as a list of steps, or raw.
import { type RefObject, useEffect, useImperativeHandle, useMemo, useRef, useState } from "react";
import { errorMessage } from "../../api/errors";
import { OVERLAY } from "../../keys/KeyProvider";
import { t } from "../../texts";
import type { View } from "./view";
import { cardsOf, nextFailed } from "./cards";
import { Conversation } from "./Conversation";
import { Find } from "./Find";
import { RawTrace } from "./RawTrace";
import { StepBar } from "./StepBar";
import { StepList } from "./StepList";
import { useSteps } from "./useSteps";

export type ReplayHandle = {
  move: (by: number) => void;
  goTo: (n: number) => void;
  last: () => void;
  nextError: () => void;
  find: () => void;
  play: () => void;
};

const VIEWS: readonly View[] = ["conversation", "steps", "raw"];
const PLAY_MS = 1000;

export function Replay(props: {
  project: string;
  trace: string;
  view: View;
  onView: (view: View) => void;
  /** Counts from 0. */
  at: number;
  /** Computes the target step from the current one. Rendering may lag behind, so `at` could be outdated. */
  onMove: (to: (at: number) => number) => void;
  handle: RefObject<ReplayHandle | null>;
  /** Open with the search field focused. */
  find?: boolean;
}) {
  const { at, onMove, view } = props;
  const steps = useSteps(props.project, props.trace);
  const { first, known, load: want } = steps;
  const field = useRef<HTMLInputElement>(null);
  const [moved, setMoved] = useState(at > 0);
  const [playing, setPlaying] = useState(false);
  const [finding, setFinding] = useState(props.find === true);
  const total = first?.total ?? 0;
  const cards = useMemo(() => cardsOf(total, known), [total, known]);
  const go = (to: (at: number) => number) => {
    // Before the steps are loaded, moving would drop the step of the URL.
    if (first === undefined) return;
    setMoved(true);
    onMove((from) => Math.max(0, Math.min(total - 1, to(from))));
  };
  const goTo = (n: number) => go(() => n);
  useEffect(() => want(at), [at, want]);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => (at + 1 < total ? goTo(at + 1) : setPlaying(false)), PLAY_MS);
    return () => clearTimeout(timer);
  });
  useImperativeHandle(props.handle, () => ({
    move: (by) => go((from) => from + by),
    goTo,
    last: () => goTo(total - 1),
    nextError: () => go((from) => nextFailed(first?.failed ?? [], from) ?? from),
    find: () => (field.current === null ? setFinding(true) : field.current.focus()),
    play: () => setPlaying((now) => !now),
  }));

  if (steps.problem !== null) return <p className="p-4 text-fail">{errorMessage(steps.problem)}</p>;
  // Until the search field is rendered, typed characters must not act as keys of the page.
  if (first === undefined) return finding ? <div {...OVERLAY} /> : null;
  const texts = t.trace.replay;
  return (
    <section aria-label={texts.title} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-1.5">
        <fieldset className="flex">
          <legend className="sr-only">{texts.view}</legend>
          {VIEWS.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={view === name}
              className={`btn btn-small rounded-none first-of-type:rounded-s last-of-type:rounded-e ${view === name ? "bg-accent-tint font-semibold" : ""}`}
              onClick={() => props.onView(name)}
            >
              {texts.views[name]}
            </button>
          ))}
        </fieldset>
        <span className="min-w-44 text-sm text-soft">
          {texts.position(total === 0 ? 0 : at + 1, total, first.failed.length)}
        </span>
        <button
          type="button"
          className="btn btn-small"
          aria-pressed={playing}
          onClick={() => setPlaying(!playing)}
        >
          {playing ? texts.stop : texts.play}
        </button>
        <div className="ms-auto">
          <Find steps={steps} field={field} onFound={goTo} atOnce={finding} />
        </div>
        {total > 0 ? (
          <div className="flex w-full">
            <StepBar first={first} at={Math.min(at, total - 1)} onMove={goTo} />
          </div>
        ) : null}
      </div>
      {view === "raw" ? <RawTrace project={props.project} trace={props.trace} /> : null}
      {view === "steps" ? (
        <StepList {...props} first={first} known={known} onMove={goTo} want={want} />
      ) : null}
      {view === "conversation" ? (
        total === 0 ? (
          <p className="p-4 text-soft">{texts.noMessages}</p>
        ) : (
          <Conversation
            project={props.project}
            trace={props.trace}
            cards={cards}
            at={at}
            follow={moved}
            want={want}
          />
        )
      ) : null}
    </section>
  );
}

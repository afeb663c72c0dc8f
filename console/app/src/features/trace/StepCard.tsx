// One step of a run, or a call with its result.
import { Link } from "@tanstack/react-router";
import { memo, useState } from "react";
import type { Step, StepKind } from "../../api/types";
import { shown } from "../../parts/reveal";
import { duration } from "../../parts/time";
import { t } from "../../texts";
import { type Card, kindLabel, memoryIds } from "./cards";
import { PartView } from "./PartView";

const EDGE: Partial<Record<StepKind, string>> = {
  user: "border-s-accent",
  assistant: "border-s-ink",
  error: "border-s-fail",
  memory: "border-s-warn",
};
/** Collapsed by default, because these texts are long and rarely needed. */
const FOLDED = new Set<StepKind>(["system", "memory"]);

type Props = { project: string; trace: string; card: Card; current: boolean };

export const StepCard = memo(function StepCard(props: Props) {
  const { step, result } = props.card;
  const texts = t.trace.step;
  if (step === undefined)
    return <div className="h-20 border-s-2 border-line ps-3 text-soft">{texts.title(props.card.n + 1)}</div>;
  const failed = step.failed || result?.failed === true;
  const edge = failed ? "border-s-fail" : (EDGE[step.kind] ?? "border-s-line");
  return (
    <article
      aria-label={texts.titleOfKind(step.n + 1, kindLabel(step.kind))}
      aria-current={props.current ? "step" : undefined}
      className={`border-s-2 py-1 ps-3 pe-2 ${edge} ${props.current ? "bg-accent-tint" : ""}`}
    >
      <StepHead step={step} result={result} />
      <StepBody project={props.project} trace={props.trace} step={step} />
      {result === undefined ? null : (
        <div className="mt-1 border-t border-line pt-1">
          <p className="ps-9 text-xs text-soft">
            {texts.result(
              result.failed ? <strong className="text-fail">{texts.failed}</strong> : null,
              result.n + 1,
              result.duration_ms == null ? null : duration(result.duration_ms / 1000),
            )}
          </p>
          <StepBody project={props.project} trace={props.trace} step={result} />
        </div>
      )}
    </article>
  );
});

export function StepHead(props: { step: Step; result?: Step | undefined }) {
  const { step } = props;
  return (
    <header className="flex flex-wrap items-baseline gap-x-2 text-xs text-soft">
      <span className="w-7 text-end tabular-nums">{step.n + 1}</span>
      <span className="font-semibold text-ink">{kindLabel(step.kind)}</span>
      {step.tool == null ? null : <code className="text-ink">{shown(step.tool)}</code>}
      {step.failed ? <strong className="text-fail">{t.trace.step.failed}</strong> : null}
      {step.duration_ms == null ? null : <span>{duration(step.duration_ms / 1000)}</span>}
      {step.tokens == null ? null : <span>{t.trace.step.tokens(step.tokens)}</span>}
    </header>
  );
}

export function StepBody(props: { project: string; trace: string; step: Step; unfolded?: boolean }) {
  const { step } = props;
  const folds = FOLDED.has(step.kind) && props.unfolded !== true;
  const [open, setOpen] = useState(!folds);
  const parts = (
    <div className="flex flex-col gap-1 ps-9">
      {step.parts.map((part) => (
        <PartView key={part.n} project={props.project} trace={props.trace} kind={step.kind} part={part} />
      ))}
    </div>
  );
  if (!folds) return parts;
  return (
    <div>
      <div className="ps-9">
        {step.kind === "memory" ? (
          <Injected project={props.project} step={step} />
        ) : (
          <p className="truncate text-soft">{shown(step.title)}</p>
        )}
        <button
          type="button"
          aria-expanded={open}
          className="btn btn-small my-1"
          onClick={() => setOpen(!open)}
        >
          {open ? t.trace.step.collapse : t.trace.step.show}
        </button>
      </div>
      {open ? parts : null}
    </div>
  );
}

/** Memories that were added to the prompt. */
function Injected(props: { project: string; step: Step }) {
  const ids = memoryIds(props.step.parts.map((part) => part.text ?? part.head ?? "").join("\n"));
  return (
    <p>
      {t.trace.step.memoriesAdded(ids.length)}
      {ids.map((id) => (
        <Link
          key={id}
          className="link ms-2"
          to="/p/$project/memories/$memory"
          params={{ project: props.project, memory: id }}
        >
          {id.slice(-6)}
        </Link>
      ))}
    </p>
  );
}

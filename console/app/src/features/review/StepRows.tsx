// What the agent did: one compact row per step. The rows come from the digest at once; the whole texts are loaded
// after the first paint, and the rows do not move.
import { useQuery } from "@tanstack/react-query";
import {
  Bot,
  Brain,
  Circle,
  CornerDownRight,
  GraduationCap,
  type LucideIcon,
  Settings2,
  StickyNote,
  TriangleAlert,
  User,
  Wrench,
} from "lucide-react";
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { stepsQuery } from "../../api/queries";
import type { QueuedTrace, StepKind } from "../../api/types";
import { sizeLabel } from "../../parts/clamp";
import { shown } from "../../parts/reveal";
import { preload } from "../../shell/preload";
import { t } from "../../texts";
import { kindLabel } from "../trace/cards";
import { hiddenSize, isFolded, type Row, rowsOf } from "./step-rows";

const [RowDetails, fetchRowDetails] = preload(async () => (await import("./RowDetails")).RowDetails);

const ICONS: Readonly<Record<string, LucideIcon>> = {
  system: Settings2,
  user: User,
  assistant: Bot,
  reasoning: Brain,
  tool_call: Wrench,
  tool_result: CornerDownRight,
  error: TriangleAlert,
  memory: GraduationCap,
  note: StickyNote,
};

type Props = { project: string; trace: QueuedTrace; step: number; onStep: (step: number) => void };

export function StepRows(props: Props) {
  const { digest, trace_id } = props.trace;
  const { data } = useQuery(stepsQuery(props.project, trace_id, 0));
  const rows = useMemo(
    () => rowsOf(digest, new Map(data?.steps.map((step) => [step.n, step]))),
    [digest, data],
  );
  useEffect(() => fetchRowDetails(), []);
  const here = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // In braces: newer browsers return a promise, which is not a valid effect cleanup.
    here.current?.scrollIntoView({ block: "nearest" });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another step is another element
  }, [props.step]);
  return (
    <ol className="flex flex-col gap-px">
      {rows.map((row) => (
        <StepRow key={row.step} {...props} row={row} here={here} />
      ))}
    </ol>
  );
}

function StepRow(props: Props & { row: Row; here: RefObject<HTMLLIElement | null> }) {
  const { row } = props;
  const texts = t.review.steps;
  const [open, setOpen] = useState(false);
  const current = row.step === props.step || row.result?.step === props.step;
  const hidden = hiddenSize(row);
  const tone = row.failed ? "border-s-fail bg-fail-tint" : current ? "bg-accent-tint" : "border-s-line";
  return (
    <>
      {row.gap === 0 ? null : <li className="px-2 py-1 text-xs text-soft">{texts.gap(row.gap)}</li>}
      <li
        ref={current ? props.here : undefined}
        className={`border-s-2 ${tone} ${current ? "border-s-accent outline-1 -outline-offset-1 outline-accent" : ""}`}
      >
        <div className="flex items-start gap-1">
          <button
            type="button"
            aria-current={current ? "step" : undefined}
            className="flex min-w-0 flex-1 items-start gap-2 px-2 py-1 text-start text-sm hover:bg-sunken max-md:min-h-10 max-md:py-2.5"
            onClick={() => props.onStep(row.step)}
          >
            <RowText row={row} />
          </button>
          {hidden === 0 ? null : (
            <button
              type="button"
              aria-expanded={open}
              aria-label={open ? texts.hideOf(row.step) : texts.showOf(sizeLabel(hidden), row.step)}
              className="btn btn-plain btn-small shrink-0 text-soft"
              onClick={() => setOpen(!open)}
            >
              {open ? texts.hide : texts.show(sizeLabel(hidden))}
            </button>
          )}
        </div>
        {open ? <RowDetails project={props.project} trace={props.trace.trace_id} steps={row.loaded} /> : null}
      </li>
    </>
  );
}

function RowText({ row }: { row: Row }) {
  const Icon = ICONS[row.kind] ?? Circle;
  const texts = t.review.steps;
  const folded = isFolded(row.kind) ? texts.folded[row.kind] : null;
  const clamp = "line-clamp-2 wrap-anywhere max-[1199px]:line-clamp-4";
  return (
    <>
      <span className="w-5 shrink-0 text-end text-xs leading-[1.125rem] text-soft">{row.step}</span>
      <Icon
        size={14}
        aria-hidden="true"
        className={`mt-0.5 shrink-0 ${row.failed ? "text-fail" : "text-soft"}`}
      />
      {folded !== null ? null : <span className="sr-only"> {kindLabel(row.kind as StepKind)} </span>}
      <span className="flex min-w-0 flex-1 flex-wrap gap-x-2">
        {row.tool === null ? null : <code className="text-xs font-semibold">{shown(row.tool)}</code>}{" "}
        <span className={`min-w-0 ${clamp} ${row.tool === null ? "" : "font-mono text-xs text-soft"}`}>
          {folded ?? shown(row.text)}
        </span>{" "}
        {row.result === null ? null : (
          <span className={`min-w-0 font-mono text-xs ${clamp} ${row.failed ? "text-fail" : ""}`}>
            <span aria-hidden="true">→ </span>
            <span className="sr-only">{texts.resultBefore}</span>
            {shown(row.result.text)}
          </span>
        )}
        {row.failed ? <span className="sr-only">{texts.failedAfter}</span> : null}
      </span>
    </>
  );
}

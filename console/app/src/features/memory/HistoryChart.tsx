// The q_value and the credit of a memory over time, one point per review. The table below shows the same data.
import { Link } from "@tanstack/react-router";
import type { HistoryStep } from "../../api/memories";
import { fixed, number } from "../../parts/time";
import { t } from "../../texts";
import { type Box, chartOf, heightOf, type Mark, describeStep } from "./chart";

const BOX: Box = { width: 720, height: 150, pad: 8 };
const COLOURS: Readonly<Record<Mark["kind"], string>> = {
  pass: "var(--pass)",
  fail: "var(--fail)",
  withdrawn: "var(--edge)",
  edit: "var(--accent)",
};

export function HistoryChart(props: { project: string; steps: HistoryStep[] }) {
  const chart = chartOf(props.steps, BOX);
  const { legend } = t.memory.history;
  return (
    <>
      <div className="relative">
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${BOX.width} ${BOX.height}`}
          preserveAspectRatio="none"
          className="block h-[150px] w-full"
        >
          {[0, 0.5, 1].map((value) => (
            <line
              key={value}
              x1={0}
              x2={BOX.width}
              y1={heightOf(value, BOX)}
              y2={heightOf(value, BOX)}
              stroke="var(--line)"
              strokeDasharray={value === 0.5 ? "3 3" : undefined}
            />
          ))}
          <path d={chart.credit} fill="none" stroke="var(--edge)" strokeDasharray="5 3" strokeWidth={1.5} />
          <path d={chart.utility} fill="none" stroke="var(--accent)" strokeWidth={2} />
        </svg>
        <div className="absolute inset-0" aria-hidden="true">
          {props.steps.map((step, index) => {
            const mark = chart.marks[index];
            return mark === undefined ? null : (
              <OneMark key={`${step.at} ${index}`} project={props.project} mark={mark} step={step} />
            );
          })}
        </div>
        {[1, 0.5, 0].map((value) => (
          <span
            key={value}
            aria-hidden="true"
            className="pointer-events-none absolute start-0 -translate-y-1/2 bg-paper pe-1 text-xs text-soft"
            style={{ top: heightOf(value, BOX) }}
          >
            {number(value)}
          </span>
        ))}
      </div>
      <p className="flex flex-wrap gap-x-4 text-xs text-soft" aria-hidden="true">
        <Legend look="h-0.5 w-4 bg-accent">{legend.qValue}</Legend>
        <Legend look="h-0 w-4 border-t border-dashed border-edge">{legend.credit}</Legend>
        <Legend look="h-2 w-2 rounded-full bg-pass">{legend.pass}</Legend>
        <Legend look="h-2 w-2 bg-fail">{legend.fail}</Legend>
        <Legend look="h-2 w-2 rounded-full border border-edge">{legend.withdrawn}</Legend>
        <Legend look="h-2 w-2 rotate-45 border border-accent">{legend.edit}</Legend>
      </p>
    </>
  );
}

const SHAPES: Readonly<Record<Mark["kind"], string>> = {
  pass: "rounded-full",
  fail: "",
  withdrawn: "rounded-full",
  edit: "rotate-45",
};

/** An HTML element instead of SVG, because the SVG is stretched and would distort the shape. */
function OneMark(props: { project: string; mark: Mark; step: HistoryStep }) {
  const { mark, step } = props;
  const hollow = mark.kind === "withdrawn" || mark.kind === "edit";
  const style = {
    left: `${(mark.x / BOX.width) * 100}%`,
    top: mark.y,
    borderColor: COLOURS[mark.kind],
    background: hollow ? "var(--paper)" : COLOURS[mark.kind],
  };
  const look = `absolute h-2 w-2 -translate-x-1/2 -translate-y-1/2 border ${SHAPES[mark.kind]}`;
  const title = t.memory.history.point(describeStep(step), fixed(step.q_before), fixed(step.q_after));
  const trace = step.review?.trace_id;
  // The table has the same links for keyboard users.
  return trace == null ? (
    <span className={look} style={style} title={title} />
  ) : (
    <Link
      tabIndex={-1}
      to="/p/$project/traces/$trace"
      params={{ project: props.project, trace }}
      className={look}
      style={style}
      title={title}
      preload={false}
    />
  );
}

function Legend(props: { look: string; children: string }) {
  return (
    <span className="flex items-center gap-1.5">
      <span className={props.look} /> {props.children}
    </span>
  );
}

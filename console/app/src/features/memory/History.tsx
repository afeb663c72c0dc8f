// The history of a memory: reviews and edits.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { errorMessage } from "../../api/errors";
import { historyQuery, type HistoryStep } from "../../api/memories";
import { Outcome } from "../../parts/Outcome";
import { reviewerName } from "../../parts/reviewer";
import { fixed, Time } from "../../parts/time";
import { t } from "../../texts";
import { Block } from "./Block";
import { describeEdit, describeUse, summarizeHistory } from "./chart";
import { HistoryChart } from "./HistoryChart";

const FIRST = 10;

export function History(props: { project: string; memory: string }) {
  const { data, error } = useQuery(historyQuery(props.project, props.memory));
  const [all, setAll] = useState(false);
  const { history: texts } = t.memory;
  const { columns } = texts;
  const steps = data?.steps ?? [];
  const newest = steps.toReversed();
  const listed = all ? newest : newest.slice(0, FIRST);
  return (
    <Block title={texts.title} about={data === undefined ? undefined : summarizeHistory(steps)}>
      {error === null ? null : <p className="text-fail">{errorMessage(error)}</p>}
      {steps.length === 0 ? null : (
        <>
          <HistoryChart project={props.project} steps={steps} />
          {data !== undefined && data.left_off > 0 ? (
            <p className="text-sm text-soft">{texts.notShown(data.left_off)}</p>
          ) : null}
          <div className="overflow-x-auto">
            <table className="w-full text-sm md:min-w-[34rem]">
              <caption className="sr-only">{texts.caption}</caption>
              <thead>
                <tr className="text-xs text-soft">
                  <th scope="col" className="py-1 text-start font-semibold">
                    {columns.when}
                  </th>
                  <th scope="col" className="px-2 text-start font-semibold">
                    {columns.change}
                  </th>
                  <th scope="col" className="px-2 text-start font-semibold max-md:hidden">
                    {columns.by}
                  </th>
                  <th scope="col" className="px-2 text-end font-semibold max-md:hidden">
                    {columns.qValue}
                  </th>
                  <th scope="col" className="px-2 text-end font-semibold">
                    {columns.credit}
                  </th>
                  <th scope="col" className="text-end font-semibold">
                    {columns.run}
                  </th>
                </tr>
              </thead>
              <tbody>
                {listed.map((step, index) => (
                  <StepRow key={`${step.at} ${newest.length - index}`} project={props.project} step={step} />
                ))}
              </tbody>
            </table>
          </div>
          {newest.length > FIRST ? (
            <button type="button" className="btn btn-small self-start" onClick={() => setAll(!all)}>
              {all ? texts.showLast(FIRST) : texts.showAll(newest.length)}
            </button>
          ) : null}
        </>
      )}
    </Block>
  );
}

function StepRow(props: { project: string; step: HistoryStep }) {
  const { step } = props;
  const trace = step.review?.trace_id;
  return (
    <tr className="border-t border-line">
      <td className="whitespace-nowrap py-1 text-soft">
        <Time at={step.at} />
      </td>
      <td className="px-2">
        {step.review == null ? (
          describeEdit(step)
        ) : (
          <span className={step.review.withdrawn ? "line-through" : ""}>
            <Outcome result={step.review.result} />{" "}
            <span className="text-soft">{describeUse(step.review)}</span>
          </span>
        )}
      </td>
      <td className="max-w-40 truncate px-2 text-soft max-md:hidden">
        {reviewerName(step.review?.reviewer ?? step.care?.actor ?? "–")}
      </td>
      <td className="whitespace-nowrap px-2 text-end max-md:hidden">{change(step.q_before, step.q_after)}</td>
      <td className="whitespace-nowrap px-2 text-end">{change(step.credit_before, step.credit_after)}</td>
      <td className="text-end">
        {trace == null ? (
          "–"
        ) : (
          <Link className="link" to="/p/$project/traces/$trace" params={{ project: props.project, trace }}>
            {t.memory.history.openRun(step.at)}
          </Link>
        )}
      </td>
    </tr>
  );
}

/** The value before and after; one number if it did not change. */
function change(before: number | null | undefined, after: number | null | undefined): string {
  if (before == null || after == null) return "–";
  const [from, to] = [fixed(before), fixed(after)];
  return from === to ? to : `${from} → ${to}`;
}

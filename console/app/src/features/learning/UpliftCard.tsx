// The difference in pass rate between runs with and without lessons, with its confidence interval.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schemas } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { shown } from "../../parts/reveal";
import { number, percent } from "../../parts/time";
import { t } from "../../texts";
import { headline, missingReviews, points, scaleOf } from "./uplift-summary";

type Arm = Schemas["UpliftArm"];

export function UpliftCard(props: { project: string; uplift: Schemas["Uplift"] }) {
  const { uplift } = props;
  const { difference } = uplift;
  const missing = missingReviews(uplift);
  const texts = t.learning.uplift;
  const { columns } = texts;
  return (
    <div className={`card flex flex-col gap-3 p-3 ${uplift.causal ? "" : "border-dashed"}`}>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <strong className="metric">{headline(uplift)}</strong>
        {difference == null ? null : (
          <span className={uplift.causal ? "" : "text-soft"}>
            {texts.difference(
              points(difference.value),
              points(difference.low),
              points(difference.high),
              uplift.causal,
            )}
          </span>
        )}
      </p>
      {difference == null ? null : (
        <Interval
          label={texts.chart(points(difference.value), points(difference.low), points(difference.high))}
          value={difference.value}
          low={difference.low}
          high={difference.high}
          nothing={0}
          domain={scaleOf(difference)}
          ends={[
            texts.endHurt(points(scaleOf(difference)[0])),
            texts.endHelp(points(scaleOf(difference)[1])),
          ]}
          grey={!uplift.causal}
        />
      )}
      {missing === null ? null : <p>{shown(missing)}</p>}
      <table className="text-sm max-sm:text-xs">
        <caption className="sr-only">{texts.table}</caption>
        <thead>
          <tr className="text-start">
            <ColumnHead>
              <span className="sr-only">{columns.group}</span>
            </ColumnHead>
            <ColumnHead>{columns.runs}</ColumnHead>
            <ColumnHead>{columns.reviewed}</ColumnHead>
            <ColumnHead>{columns.passed}</ColumnHead>
            <ColumnHead>{columns.rate}</ColumnHead>
          </tr>
        </thead>
        <tbody>
          <ArmRow name={texts.withLessons} arm={uplift.with_memories} />
          <ArmRow name={uplift.causal ? texts.heldOut : texts.withoutLessons} arm={uplift.without_memories} />
        </tbody>
      </table>
      {uplift.causal ? null : (
        <p className="text-sm">
          {texts.aboutHoldout(
            <Link className="link" to="/p/$project/settings/project" params={{ project: props.project }}>
              {texts.setUpHoldout}
            </Link>,
          )}
        </p>
      )}
    </div>
  );
}

function ColumnHead(props: { children: ReactNode }) {
  return (
    <th scope="col" className="border-b border-line pe-3 max-sm:pe-1.5 text-start font-semibold">
      {props.children}
    </th>
  );
}

function ArmRow(props: { name: string; arm: Arm }) {
  const { arm } = props;
  return (
    <tr>
      <th scope="row" className="border-b border-line pe-3 max-sm:pe-1.5 text-start font-normal">
        {props.name}
      </th>
      {[
        number(arm.runs),
        number(arm.reviewed),
        number(arm.passed),
        arm.pass_rate == null ? "–" : percent(arm.pass_rate),
      ].map((value, at) => (
        // The columns never change order.
        // oxlint-disable-next-line react/no-array-index-key
        <td key={at} className="border-b border-line pe-3 max-sm:pe-1.5">
          {value}
        </td>
      ))}
    </tr>
  );
}

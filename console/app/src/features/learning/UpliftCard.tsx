// The difference in pass rate between runs with and without memories, with its confidence interval.
import { Link } from "@tanstack/react-router";
import type { Schemas } from "../../api/types";
import { Interval } from "../../parts/charts/Interval";
import { shown } from "../../parts/reveal";
import { percent } from "../../parts/time";
import { headline, points, scaleOf } from "./uplift-summary";

type Arm = Schemas["UpliftArm"];

export function UpliftCard(props: { project: string; uplift: Schemas["Uplift"] }) {
  const { uplift } = props;
  const { difference } = uplift;
  return (
    <div className={`card flex flex-col gap-3 p-3 ${uplift.causal ? "" : "border-dashed"}`}>
      <p className="flex flex-wrap items-baseline gap-x-3">
        <strong className="text-lg">{headline(uplift)}</strong>
        {difference == null ? null : (
          <span className={uplift.causal ? "" : "text-soft"}>
            {points(difference.value)} points ({points(difference.low)} to {points(difference.high)}
            {uplift.causal ? ")" : ", correlation, not causation)"}
          </span>
        )}
      </p>
      {difference == null ? null : (
        <Interval
          label={`Difference of pass rates: ${points(difference.value)} points, 95% interval ${points(difference.low)} to ${points(difference.high)}. Zero means no difference.`}
          value={difference.value}
          low={difference.low}
          high={difference.high}
          nothing={0}
          domain={scaleOf(difference)}
          ends={[
            `${points(scaleOf(difference)[0])} memories hurt`,
            `memories help ${points(scaleOf(difference)[1])}`,
          ]}
          grey={!uplift.causal}
        />
      )}
      <p>{shown(uplift.message)}</p>
      <table className="text-sm max-sm:text-xs">
        <caption className="sr-only">Both arms</caption>
        <thead>
          <tr className="text-start">
            {["", "Runs", "Reviewed (n)", "Passed", "Pass rate"].map((name) => (
              <th
                key={name}
                scope="col"
                className="border-b border-line pe-3 max-sm:pe-1.5 text-start font-semibold"
              >
                {name === "" ? <span className="sr-only">Arm</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <ArmRow name="With memories" arm={uplift.with_memories} />
          <ArmRow name={uplift.causal ? "Held out" : "No memories"} arm={uplift.without_memories} />
        </tbody>
      </table>
      {uplift.causal ? null : (
        <p className="text-sm">
          Only a random holdout shows what memories cause. The holdout is off by default.{" "}
          <Link className="link" to="/p/$project/settings/project" params={{ project: props.project }}>
            Set a holdout
          </Link>
        </p>
      )}
    </div>
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
        arm.runs.toLocaleString(),
        arm.reviewed.toLocaleString(),
        arm.passed.toLocaleString(),
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

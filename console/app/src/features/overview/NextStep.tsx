// The recommended action, as a button.
import { Link } from "@tanstack/react-router";
import { Key } from "../../keys/Key";
import { useKeyOf } from "../../keys/KeyProvider";
import type { NextStep as Step } from "./next-step";

export function NextStep(props: { project: string; step: Step }) {
  const { step } = props;
  const key = useKeyOf("next-step");
  return (
    <p className="flex flex-wrap items-center gap-3">
      <Link
        className="btn btn-primary"
        to={`/p/$project${step.path}` as "/p/$project"}
        params={{ project: props.project }}
        search={(step.search ?? {}) as never}
      >
        {step.label} <Key name={key} />
      </Link>
      <span className="text-soft">{step.why}</span>
    </p>
  );
}

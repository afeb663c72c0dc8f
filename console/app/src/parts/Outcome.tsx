// Pass, fail or pending: by icon and word, not only by colour.
import { Check, Clock, X } from "lucide-react";
import { t } from "../texts";

export function Outcome(props: { result: "pass" | "fail" | null | undefined }) {
  if (props.result === "pass") {
    return (
      <span className="chip bg-pass-tint text-pass">
        <Check size={13} aria-hidden="true" /> {t.parts.outcome.pass}
      </span>
    );
  }
  if (props.result === "fail") {
    return (
      <span className="chip bg-fail-tint text-fail">
        <X size={13} aria-hidden="true" /> {t.parts.outcome.fail}
      </span>
    );
  }
  return (
    <span className="chip text-soft">
      <Clock size={13} aria-hidden="true" /> {t.parts.outcome.pending}
    </span>
  );
}

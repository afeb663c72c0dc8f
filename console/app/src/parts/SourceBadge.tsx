// Whether a lesson was learned from a run that passed or failed. A lesson from a failure is as good as any other.
import { GraduationCap } from "lucide-react";
import { t } from "../texts";

export function SourceBadge(props: { success: boolean | null | undefined }) {
  if (props.success == null) return null;
  return (
    <span className="chip text-soft">
      <GraduationCap size={12} aria-hidden="true" />{" "}
      {props.success ? t.parts.source.success : t.parts.source.failure}
    </span>
  );
}

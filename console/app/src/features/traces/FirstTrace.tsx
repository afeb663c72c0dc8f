// Shown while the project has no traces.
import { Link } from "@tanstack/react-router";
import { Snippet } from "../../parts/Snippet";
import { Empty } from "../../shell/Page";

export function FirstTrace(props: { project: string }) {
  return (
    <Empty title="No runs are stored yet">
      <p>
        Run this program with a key of the project. The run appears here when it arrives.{" "}
        <Link className="link" to="/p/$project" params={{ project: props.project }}>
          Create a key on the overview page
        </Link>
        . It also shows the next steps.
      </p>
      <Snippet project={props.project} apiKey={null} />
    </Empty>
  );
}

// What to do while there is no trace at all.
import { Link } from "@tanstack/react-router";
import { Snippet } from "../../parts/Snippet";
import { Empty } from "../../shell/Page";

export function FirstTrace(props: { project: string }) {
  return (
    <Empty title="No run has been stored yet">
      <p>
        Run this with a key of the project. The page shows the run when it arrives.{" "}
        <Link className="link" to="/p/$project" params={{ project: props.project }}>
          The overview makes a key
        </Link>{" "}
        and leads through the first round.
      </p>
      <Snippet project={props.project} apiKey={null} />
    </Empty>
  );
}

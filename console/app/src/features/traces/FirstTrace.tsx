// Shown while the project has no traces.
import { Link } from "@tanstack/react-router";
import { Snippet } from "../../parts/Snippet";
import { Empty } from "../../shell/Page";
import { t } from "../../texts";

export function FirstTrace(props: { project: string }) {
  const texts = t.traces.first;
  const createKey = (
    <Link className="link" to="/p/$project" params={{ project: props.project }}>
      {texts.createKey}
    </Link>
  );
  return (
    <Empty title={texts.title}>
      <p>{texts.about(createKey)}</p>
      <Snippet project={props.project} apiKey={null} />
    </Empty>
  );
}

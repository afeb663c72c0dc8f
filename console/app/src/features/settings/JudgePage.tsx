// The judge: a model that reviews what nobody reviews.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { judgeQuery } from "../../api/settings";
import { shown } from "../../parts/reveal";
import { MayNot, useMay } from "../../shell/may";
import { PageHead } from "../../shell/Page";
import { Judge } from "../learning/Judge";
import { JudgeForm } from "./JudgeForm";
import { Block, Problem, Room } from "./parts";
import { TryJudge } from "./TryJudge";

const STATES = {
  off: "off",
  no_model: "no model",
  judging: "judging",
  stopped: "stopped: knows too little",
  spent: "out of tokens until 00:00 UTC",
} as const;

export function JudgePage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(judgeQuery(project));
  const may = useMay("project:admin");
  return (
    <>
      <PageHead title="Judge" about={data === undefined ? "" : STATES[data.state]} />
      <Room>
        {may ? null : <MayNot scope="project:admin" what="change or try the judge" />}
        <Problem error={error} />
        {data === undefined ? null : (
          <>
            <Block title="How it stands">
              <p className="text-sm">
                Model: {data.model == null ? "none is configured on this server" : shown(data.model)} ·{" "}
                {data.tokens_today.toLocaleString()} tokens today (UTC)
              </p>
              <Judge status={data} />
              {data.fix == null || data.state === "off" ? null : (
                <p className="rounded bg-warn-tint px-3 py-2">{shown(data.fix)}</p>
              )}
            </Block>
            <JudgeForm project={project} stored={data.settings} may={may} />
            {may ? <TryJudge project={project} hasModel={data.model != null} /> : null}
          </>
        )}
      </Room>
    </>
  );
}

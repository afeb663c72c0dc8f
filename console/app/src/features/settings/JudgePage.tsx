// The judge page: a model that reviews runs without a human review.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { judgeQuery } from "../../api/settings";
import { shown } from "../../parts/reveal";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { Judge } from "../learning/Judge";
import { JudgeForm } from "./JudgeForm";
import { Block, ErrorText, SectionBody } from "./form";
import { TestJudge } from "./TestJudge";

const STATES = {
  off: "off",
  no_model: "no model",
  judging: "judging",
  stopped: "stopped: accuracy is too low",
  spent: "token limit reached until 00:00 UTC",
} as const;

export function JudgePage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(judgeQuery(project));
  const canEdit = usePermission("project:admin");
  return (
    <>
      <PageHead title="Judge" about={data === undefined ? "" : STATES[data.state]} />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what="change or test the judge" />}
        <ErrorText error={error} />
        {data === undefined ? null : (
          <>
            <Block title="Status">
              <p className="text-sm">
                Model: {data.model == null ? "none is configured on this server" : shown(data.model)} ·{" "}
                {data.tokens_today.toLocaleString()} tokens today (UTC)
              </p>
              <Judge status={data} />
              {data.fix == null || data.state === "off" ? null : (
                <p className="rounded bg-warn-tint px-3 py-2">{shown(data.fix)}</p>
              )}
            </Block>
            <JudgeForm project={project} stored={data.settings} canEdit={canEdit} />
            {canEdit ? <TestJudge project={project} hasModel={data.model != null} /> : null}
          </>
        )}
      </SectionBody>
    </>
  );
}

// The judge page: a model that reviews runs without a human review.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { judgeQuery } from "../../api/settings";
import { shown } from "../../parts/reveal";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { Judge } from "../learning/Judge";
import { JudgeForm } from "./JudgeForm";
import { Block, ErrorText, SectionBody } from "./form";
import { TestJudge } from "./TestJudge";

export function JudgePage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(judgeQuery(project));
  const canEdit = usePermission("project:admin");
  const texts = t.settings.judge;
  return (
    <>
      <PageHead title={texts.title} about={data === undefined ? "" : texts.states[data.state]} />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what={texts.changeOrTest} />}
        <ErrorText error={error} />
        {data === undefined ? null : (
          <>
            <Block title={texts.status}>
              <p className="text-sm">
                {texts.modelAndTokens(data.model == null ? null : shown(data.model), data.tokens_today)}
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

// Signals: outcomes that other systems report, the rules that make reviews of them, and how far each source can be believed.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { signalSourcesQuery } from "../../api/settings";
import { PageHead } from "../../shell/Page";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { t } from "../../texts";
import { AddSource } from "./AddSource";
import { Block, ErrorText, SectionBody } from "./form";
import { SignalsForm } from "./SignalsForm";
import { SourceRow } from "./SourceRow";

export function SignalsPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(signalSourcesQuery(project));
  const canEdit = usePermission("project:admin");
  const texts = t.settings.signals;
  return (
    <>
      <PageHead title={texts.title} about={texts.about} />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what={texts.changeRules} />}
        <ErrorText error={error} />
        {data === undefined ? null : (
          <>
            <Block title={texts.sources} about={texts.sourcesAbout}>
              <ul className="flex flex-col gap-3">
                {data.sources.map((source) => (
                  <SourceRow
                    key={source.source}
                    project={project}
                    source={source}
                    isSet={Object.hasOwn(data.settings.sources ?? {}, source.source)}
                    canEdit={canEdit}
                  />
                ))}
              </ul>
            </Block>
            {canEdit ? (
              <AddSource project={project} known={data.sources.map(({ source }) => source)} />
            ) : null}
            <SignalsForm project={project} stored={data.settings} canEdit={canEdit} />
          </>
        )}
      </SectionBody>
    </>
  );
}

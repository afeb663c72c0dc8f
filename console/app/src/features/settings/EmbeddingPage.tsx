// Migrates a project to another embedding model, with rollback.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { embeddingQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { ProgressBar } from "../../parts/ProgressBar";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { spaceName, describeState } from "./migration";
import { MigrationActions } from "./MigrationActions";
import { Block, ErrorText, SectionBody } from "./form";

export function EmbeddingPage() {
  const canEdit = usePermission("project:admin");
  return (
    <>
      <PageHead title={t.settings.embedding.title} about={t.settings.embedding.about} />
      <SectionBody>
        {canEdit ? (
          <Change />
        ) : (
          <PermissionNotice scope="project:admin" what={t.settings.embedding.seeOrChange} />
        )}
      </SectionBody>
    </>
  );
}

function Change() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(embeddingQuery(project));
  if (data === undefined) return <ErrorText error={error} />;
  const texts = t.settings.embedding;
  return (
    <>
      <Block title={texts.now} about={texts.nowAbout}>
        {data.reads == null ? (
          <p>{texts.none}</p>
        ) : (
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 max-sm:grid-cols-1">
            <Space name={texts.reads} space={data.reads} />
            {data.writes
              .filter((space) => space.space_id !== data.reads?.space_id)
              .map((space) => (
                <Space key={space.space_id} name={texts.writes} space={space} />
              ))}
          </dl>
        )}
      </Block>
      <Block title={texts.change} about={describeState(data.state)}>
        {data.state === "filling" ? (
          <div className="flex flex-col gap-1">
            <ProgressBar label={texts.converted} value={data.done} of={data.total} />
            <p role="status">{texts.progress(data.done, data.total)}</p>
          </div>
        ) : null}
        {data.from == null || data.to == null || data.state == null ? null : (
          <p className="text-sm text-soft">
            {texts.fromTo(
              shown(spaceName(data.from)),
              shown(spaceName(data.to)),
              data.switched_at == null ? null : <Time at={data.switched_at} />,
              data.updated_at == null ? null : <Time at={data.updated_at} />,
            )}
          </p>
        )}
        {data.last_error == null ? null : (
          <p role="alert" className="text-fail">
            {texts.blocked(shown(data.last_error))}
          </p>
        )}
        <MigrationActions project={project} data={data} />
      </Block>
    </>
  );
}

function Space(props: { name: string; space: Schemas["EmbeddingSpace"] }) {
  const { space } = props;
  return (
    <>
      <dt className="text-soft">{props.name}</dt>
      <dd className="min-w-0 break-words">
        {t.settings.embedding.space(shown(spaceName(space)), space.similarity_threshold, space.has_embedder)}
      </dd>
    </>
  );
}

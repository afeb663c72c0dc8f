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
import { spaceName, describeState } from "./migration";
import { MigrationActions } from "./MigrationActions";
import { Block, ErrorText, SectionBody } from "./form";

export function EmbeddingPage() {
  const canEdit = usePermission("project:admin");
  return (
    <>
      <PageHead title="Embedding model" about="how memories are found" />
      <SectionBody>
        {canEdit ? (
          <Change />
        ) : (
          <PermissionNotice scope="project:admin" what="see or change the embedding model" />
        )}
      </SectionBody>
    </>
  );
}

function Change() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(embeddingQuery(project));
  if (data === undefined) return <ErrorText error={error} />;
  return (
    <>
      <Block
        title="Now"
        about="Retrieval finds a memory if its vector is similar to that of the task. The operator chooses the embedding model for all projects. You choose when this project migrates."
      >
        {data.reads == null ? (
          <p>
            This server has no embedder, or the project has no memories yet. Memories are found by keyword
            search.
          </p>
        ) : (
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
            <Space name="Queries use" space={data.reads} />
            {data.writes
              .filter((space) => space.space_id !== data.reads?.space_id)
              .map((space) => (
                <Space key={space.space_id} name="New memories are also stored in" space={space} />
              ))}
          </dl>
        )}
      </Block>
      <Block title="Migration" about={describeState(data.state)}>
        {data.state === "filling" ? (
          <div className="flex flex-col gap-1">
            <ProgressBar label="Memories embedded" value={data.done} of={data.total} />
            <p role="status">
              {data.done.toLocaleString()} of {data.total.toLocaleString()} memories
            </p>
          </div>
        ) : null}
        {data.from == null || data.to == null || data.state == null ? null : (
          <p className="text-sm text-soft">
            From {shown(spaceName(data.from))} to {shown(spaceName(data.to))}
            {data.switched_at == null ? (
              ""
            ) : (
              <>
                ; last switched <Time at={data.switched_at} />
              </>
            )}
            {data.updated_at == null ? (
              ""
            ) : (
              <>
                ; last change <Time at={data.updated_at} />
              </>
            )}
            .
          </p>
        )}
        {data.last_error == null ? null : (
          <p role="alert" className="text-fail">
            Blocked: {shown(data.last_error)}
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
      <dd>
        {shown(spaceName(space))}, minimum similarity {space.similarity_threshold.toFixed(2)}
        {space.has_embedder ? "" : " (this server has no embedder for it)"}
      </dd>
    </>
  );
}

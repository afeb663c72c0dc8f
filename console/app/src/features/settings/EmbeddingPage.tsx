// Moving a project to another embedding model, with a way back.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { embeddingQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { Bar } from "../../parts/Bar";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { MayNot, useMay } from "../../shell/may";
import { PageHead } from "../../shell/Page";
import { spaceName, wordsOf } from "./change";
import { ChangeMoves } from "./ChangeMoves";
import { Block, Problem, Room } from "./parts";

export function EmbeddingPage() {
  const may = useMay("project:admin");
  return (
    <>
      <PageHead title="Embedding model" about="how memories are found" />
      <Room>
        {may ? <Change /> : <MayNot scope="project:admin" what="see or change the embedding model" />}
      </Room>
    </>
  );
}

function Change() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(embeddingQuery(project));
  if (data === undefined) return <Problem error={error} />;
  return (
    <>
      <Block
        title="Now"
        about="A memory is found when its vector lies near that of the task. Which model computes vectors is the operator's choice, for all projects; when to move is yours."
      >
        {data.reads == null ? (
          <p>
            This server has no embedder, or the project has no memory yet; memories are found by their words.
          </p>
        ) : (
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
            <Space name="Questions go to" space={data.reads} />
            {data.writes
              .filter((space) => space.space_id !== data.reads?.space_id)
              .map((space) => (
                <Space key={space.space_id} name="New memories also to" space={space} />
              ))}
          </dl>
        )}
      </Block>
      <Block title="Change" about={wordsOf(data.state)}>
        {data.state === "filling" ? (
          <div className="flex flex-col gap-1">
            <Bar label="Memories embedded" value={data.done} of={data.total} />
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
            It waits: {shown(data.last_error)}
          </p>
        )}
        <ChangeMoves project={project} data={data} />
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
        {shown(spaceName(space))}, similarity of at least {space.similarity_threshold.toFixed(2)}
        {space.has_embedder ? "" : " (this server lacks its embedder)"}
      </dd>
    </>
  );
}

// Information about the server.
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { base } from "../../api/base";
import { sessionQuery } from "../../api/queries";
import { embeddingQuery, judgeQuery, readyQuery } from "../../api/settings";
import { shown } from "../../parts/reveal";
import { usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { useConnected } from "../../shell/live-updates";
import { t } from "../../texts";
import { Health } from "../overview/Health";
import { spaceName } from "./migration";
import { Block, ErrorText, SectionBody } from "./form";

const PAGES = [
  ["/docs", "docs"],
  ["/openapi.json", "openapi"],
  ["/metrics", "metrics"],
] as const;

export function SystemPage() {
  const texts = t.settings.system;
  const { project } = useParams({ from: "/p/$project" });
  const { data: session } = useSuspenseQuery(sessionQuery);
  const ready = useQuery(readyQuery);
  const judge = useQuery(judgeQuery(project));
  const isAdmin = usePermission("project:admin");
  const embedding = useQuery({ ...embeddingQuery(project), enabled: isAdmin });
  const live = useConnected();
  return (
    <>
      <PageHead title={texts.title} about={`Reflect ${session.version}`} />
      <SectionBody>
        <Block title={texts.server}>
          <ErrorText error={ready.error ?? judge.error ?? embedding.error} />
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 max-sm:grid-cols-1">
            <Fact name={texts.version}>{session.version}</Fact>
            <Fact name={texts.state}>
              {ready.data === undefined
                ? ""
                : texts.stateOf(
                    ready.data.status,
                    ready.data.reason == null ? null : shown(ready.data.reason),
                  )}
            </Fact>
            <Fact name={texts.live}>{live ? texts.connected : texts.notConnected}</Fact>
            <Fact name={texts.embedding}>
              {!isAdmin
                ? texts.adminsOnly
                : embedding.data === undefined
                  ? ""
                  : embedding.data.reads == null
                    ? texts.noEmbedding
                    : shown(spaceName(embedding.data.reads))}
            </Fact>
            <Fact name={texts.languageModel}>
              {judge.data === undefined
                ? ""
                : judge.data.model == null
                  ? texts.noLanguageModel
                  : shown(judge.data.model)}
            </Fact>
          </dl>
        </Block>
        <Health project={project} />
        <Block title={texts.pages}>
          <ul>
            {PAGES.map(([path, label]) => (
              <li key={path}>
                <a className="link" href={`${base}${path}`}>
                  {texts[label]}
                </a>{" "}
                <code className="text-xs text-soft">{path}</code>
              </li>
            ))}
          </ul>
        </Block>
      </SectionBody>
    </>
  );
}

function Fact(props: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{props.name}</dt>
      <dd className="min-w-0 break-words">{props.children}</dd>
    </>
  );
}

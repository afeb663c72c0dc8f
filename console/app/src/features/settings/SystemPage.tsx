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
import { Health } from "../overview/Health";
import { spaceName } from "./migration";
import { Block, ErrorText, SectionBody } from "./form";

const PAGES = [
  ["/docs", "API reference"],
  ["/openapi.json", "OpenAPI document"],
  ["/metrics", "Prometheus metrics"],
] as const;

export function SystemPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data: session } = useSuspenseQuery(sessionQuery);
  const ready = useQuery(readyQuery);
  const judge = useQuery(judgeQuery(project));
  const isAdmin = usePermission("project:admin");
  const embedding = useQuery({ ...embeddingQuery(project), enabled: isAdmin });
  const live = useConnected();
  return (
    <>
      <PageHead title="System" about={`Reflect ${session.version}`} />
      <SectionBody>
        <Block title="Server">
          <ErrorText error={ready.error ?? judge.error ?? embedding.error} />
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
            <Fact name="Version">{session.version}</Fact>
            <Fact name="State">
              {ready.data === undefined
                ? ""
                : `${ready.data.status}${ready.data.reason == null ? "" : `: ${shown(ready.data.reason)}`}`}
            </Fact>
            <Fact name="Live updates">
              {live ? "connected" : "not connected; pages refresh every 10 seconds"}
            </Fact>
            <Fact name="Embedding model">
              {!isAdmin
                ? "visible to admins only"
                : embedding.data === undefined
                  ? ""
                  : embedding.data.reads == null
                    ? "none; memories are found by keyword search"
                    : shown(spaceName(embedding.data.reads))}
            </Fact>
            <Fact name="Judge's model">
              {judge.data === undefined
                ? ""
                : judge.data.model == null
                  ? "none; without a text model, lessons are generated from task, outcome and feedback"
                  : shown(judge.data.model)}
            </Fact>
          </dl>
        </Block>
        <Health large project={project} />
        <Block title="Server pages">
          <ul>
            {PAGES.map(([path, label]) => (
              <li key={path}>
                <a className="link" href={`${base}${path}`}>
                  {label}
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
      <dd className="min-w-0">{props.children}</dd>
    </>
  );
}

// The audit log: who did what, when and from where.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { auditQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import type { Json } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { PermissionNotice, useMember, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { Checkbox, ErrorText, SectionBody } from "./form";

export function AuditPage() {
  const canRead = usePermission("project:admin");
  const texts = t.settings.audit;
  return (
    <>
      <PageHead title={texts.title} about={texts.about} />
      <SectionBody>
        {canRead ? <Entries /> : <PermissionNotice scope="project:admin" what={texts.read} />}
      </SectionBody>
    </>
  );
}

function Entries() {
  const { project } = useParams({ from: "/p/$project" });
  const { manages_members: canSeeInstallation } = useMember();
  const [installation, setInstallation] = useState(false);
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(auditQuery(project, installation));
  const entries = data?.pages.flatMap((page) => page.rows) ?? [];
  const texts = t.settings.audit;
  const { time, action, target, actor, address } = texts.columns;
  return (
    <>
      {canSeeInstallation ? (
        <Checkbox
          label={texts.installation}
          hint={texts.installationHint}
          checked={installation}
          onChange={setInstallation}
        />
      ) : null}
      <ErrorText error={error} />
      {data !== undefined && entries.length === 0 ? <p>{texts.none}</p> : null}
      {entries.length === 0 ? null : (
        <Scroll label={texts.title} className="overflow-x-auto">
          <table className="w-full min-w-[38rem] text-sm">
            <caption className="sr-only">{texts.newestFirst}</caption>
            <thead>
              <tr className="text-xs text-soft">
                {[time, action, target, actor, address].map((name) => (
                  <th key={name} scope="col" className="py-1 pe-3 text-start">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {hasNextPage ? (
        <p>
          <button type="button" className="btn" onClick={() => void fetchNextPage()}>
            {texts.showOlder}
          </button>
        </p>
      ) : null}
    </>
  );
}

function Entry(props: { entry: Schemas["AuditEntry"] }) {
  const { entry } = props;
  return (
    <tr className="border-t border-line align-baseline">
      <td className="py-1 pe-3 whitespace-nowrap">
        <Time at={entry.at} />
      </td>
      <td className="py-1 pe-3">
        <code>{shown(entry.action)}</code>
        {entry.detail == null ? null : (
          <details>
            <summary className="text-soft">{t.settings.audit.details}</summary>
            <JsonTree value={entry.detail as Json} label={t.settings.audit.details} levels={2} />
          </details>
        )}
      </td>
      <td className="py-1 pe-3 break-words">{shown(entry.target)}</td>
      <td className="py-1 pe-3 break-words">{shown(entry.actor)}</td>
      <td className="py-1 whitespace-nowrap">{shown(entry.address ?? "")}</td>
    </tr>
  );
}

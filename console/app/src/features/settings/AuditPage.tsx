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
import { PermissionNotice, useMember, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { Checkbox, ErrorText, SectionBody } from "./form";

const COLUMNS = ["When", "What", "To", "By", "From"];

export function AuditPage() {
  const canRead = usePermission("project:admin");
  return (
    <>
      <PageHead title="Audit log" about="Who did what, and which requests were denied" />
      <SectionBody>
        {canRead ? <Entries /> : <PermissionNotice scope="project:admin" what="read the audit log" />}
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
  return (
    <>
      {canSeeInstallation ? (
        <Checkbox
          label="Show the log of the installation"
          hint="Sign-ins, members, master keys, projects, and denied requests without a known caller."
          checked={installation}
          onChange={setInstallation}
        />
      ) : null}
      <ErrorText error={error} />
      {data !== undefined && entries.length === 0 ? <p>No entries yet.</p> : null}
      {entries.length === 0 ? null : (
        <Scroll label="Audit log" className="overflow-x-auto">
          <table className="w-full min-w-[38rem] text-sm">
            <caption className="sr-only">Entries, newest first</caption>
            <thead>
              <tr className="text-xs text-soft">
                {COLUMNS.map((name) => (
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
            Show older entries
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
            <summary className="text-soft">Details</summary>
            <JsonTree value={entry.detail as Json} label="Details" levels={2} />
          </details>
        )}
      </td>
      <td className="py-1 pe-3 break-words">{shown(entry.target)}</td>
      <td className="py-1 pe-3 break-words">{shown(entry.actor)}</td>
      <td className="py-1 whitespace-nowrap">{shown(entry.address ?? "")}</td>
    </tr>
  );
}

// The API keys of programs.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { keysQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { CreateKey } from "./CreateKey";
import { Block, ErrorText, SectionBody } from "./form";
import { expiresSoon } from "./key-expiry";
import { RevokeKey } from "./RevokeKey";
import { RotateKey } from "./RotateKey";

type ApiKey = Schemas["ApiKey"];

export function KeysPage() {
  const canEdit = usePermission("key:manage");
  return (
    <>
      <PageHead title={t.settings.keys.title} about={t.settings.keys.about} />
      <SectionBody>
        {canEdit ? <Keys /> : <PermissionNotice scope="key:manage" what={t.settings.keys.seeOrCreate} />}
      </SectionBody>
    </>
  );
}

function Keys() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(keysQuery(project));
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [rotating, setRotating] = useState<ApiKey | null>(null);
  const keys = data?.pages.flatMap((page) => page.rows) ?? [];
  const texts = t.settings.keys;
  return (
    <>
      <CreateKey project={project} />
      <Block
        title={data === undefined ? texts.list : texts.listed(keys.length, hasNextPage)}
        about={texts.listAbout}
      >
        <ErrorText error={error} />
        {data !== undefined && keys.length === 0 ? <p>{texts.none}</p> : null}
        <ul>
          {keys.map((key) => (
            <KeyRow
              key={key.id}
              apiKey={key}
              onRevoke={() => setRevoking(key)}
              onRotate={() => setRotating(key)}
            />
          ))}
        </ul>
        {hasNextPage ? (
          <p>
            <button type="button" className="btn" onClick={() => void fetchNextPage()}>
              {texts.showMore}
            </button>
          </p>
        ) : null}
      </Block>
      {revoking === null ? null : (
        <RevokeKey project={project} apiKey={revoking} onClose={() => setRevoking(null)} />
      )}
      {rotating === null ? null : (
        <RotateKey project={project} apiKey={rotating} onClose={() => setRotating(null)} />
      )}
    </>
  );
}

function KeyRow(props: { apiKey: ApiKey; onRevoke: () => void; onRotate: () => void }) {
  const { apiKey: key } = props;
  const active = key.status === "active";
  const texts = t.settings.keys;
  const statuses: Readonly<Record<string, string>> = texts.status;
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 border-b border-line py-2">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-semibold break-all">{shown(key.label)}</span>
          <code className="text-xs">
            rf_{key.environment}_{key.public_id}…
          </code>
          <span className={`chip ${active ? "" : "text-fail"}`}>{statuses[key.status] ?? key.status}</span>
          <span className="chip">{texts.trust[key.trust]}</span>
          {active && expiresSoon(key.expires_at) ? (
            <span className="chip bg-warn-tint text-warn">{texts.expiresSoon}</span>
          ) : null}
          {key.is_master ? <span className="chip bg-warn-tint text-warn">{texts.allProjects}</span> : null}
        </p>
        <p className="text-sm text-soft">{key.scopes.join(", ")}</p>
        {key.address_ranges.length === 0 ? null : (
          <p className="text-sm text-soft">{texts.addresses(key.address_ranges.join(", "))}</p>
        )}
        <p className="text-sm text-soft">
          {texts.history(
            shown(key.created_by),
            <Time at={key.created_at} />,
            key.last_used_at == null ? texts.neverUsed : texts.lastUsed(<Time at={key.last_used_at} />),
            endOf(key),
          )}
        </p>
      </div>
      {active ? (
        <>
          <button
            type="button"
            className="btn btn-small"
            aria-label={texts.rotateNamed(shown(key.label))}
            onClick={props.onRotate}
          >
            {texts.rotate}
          </button>
          <button
            type="button"
            className="btn btn-small"
            aria-label={texts.revokeNamed(shown(key.label))}
            onClick={props.onRevoke}
          >
            {texts.revoke}
          </button>
        </>
      ) : null}
    </li>
  );
}

function endOf(key: ApiKey) {
  const texts = t.settings.keys;
  if (key.revoked_at != null) return texts.revoked(<Time at={key.revoked_at} />);
  if (key.expires_at == null) return texts.doesNotExpire;
  const time = <Time at={key.expires_at} />;
  return key.status === "expired" ? texts.expired(time) : texts.expires(time);
}

// The API keys of programs.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { keysQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
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
      <PageHead title="API keys" about="API access for programs" />
      <SectionBody>
        {canEdit ? (
          <Keys />
        ) : (
          <PermissionNotice scope="key:manage" what="see or create keys, because a key outlives a session" />
        )}
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
  return (
    <>
      <CreateKey project={project} />
      <Block
        title={data === undefined ? "Keys" : `Keys (${keys.length}${hasNextPage ? "+" : ""})`}
        about="The secret of a key is not stored. Logs and reviews show its public id. Revoked keys stay in the list, because reviews may refer to them."
      >
        <ErrorText error={error} />
        {data !== undefined && keys.length === 0 ? (
          <p>
            No keys yet. A program needs a key to store runs and to query memories. Create the first one
            above.
          </p>
        ) : null}
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
              Show more
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
  return (
    <li className="flex items-start gap-3 border-b border-line py-2">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2">
          <span className="font-semibold">{shown(key.label)}</span>
          <code className="text-xs">
            rf_{key.environment}_{key.public_id}…
          </code>
          <span className={`chip ${active ? "" : "text-fail"}`}>{key.status}</span>
          <span className="chip">{key.trust === "normal" ? "normal trust" : key.trust}</span>
          {active && expiresSoon(key.expires_at) ? (
            <span className="chip bg-warn-tint text-warn">expires soon</span>
          ) : null}
          {key.is_master ? <span className="chip bg-warn-tint text-warn">every project</span> : null}
        </p>
        <p className="text-sm text-soft">{key.scopes.join(", ")}</p>
        {key.address_ranges.length === 0 ? null : (
          <p className="text-sm text-soft">works only from {key.address_ranges.join(", ")}</p>
        )}
        <p className="text-sm text-soft">
          created by {shown(key.created_by)} <Time at={key.created_at} />,{" "}
          {key.last_used_at == null ? (
            "never used"
          ) : (
            <>
              last used <Time at={key.last_used_at} />
            </>
          )}
          ,{" "}
          {key.revoked_at != null ? (
            <>
              revoked <Time at={key.revoked_at} />
            </>
          ) : key.expires_at == null ? (
            "does not expire"
          ) : (
            <>
              {key.status === "expired" ? "expired" : "expires"} <Time at={key.expires_at} />
            </>
          )}
        </p>
      </div>
      {active ? (
        <>
          <button
            type="button"
            className="btn btn-small"
            aria-label={`Rotate ${shown(key.label)}`}
            onClick={props.onRotate}
          >
            Rotate
          </button>
          <button
            type="button"
            className="btn btn-small"
            aria-label={`Revoke ${shown(key.label)}`}
            onClick={props.onRevoke}
          >
            Revoke
          </button>
        </>
      ) : null}
    </li>
  );
}

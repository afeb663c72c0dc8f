// Confirms the revocation of a key and shows what will stop working.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { notify } from "../../parts/notifications";
import { ConfirmSheet } from "./ConfirmSheet";
import { revokedPermissions } from "./scopes";

export function RevokeKey(props: { project: string; apiKey: Schemas["ApiKey"]; onClose: () => void }) {
  const { apiKey: key } = props;
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/api-keys/{key_id}/revoke", {
          params: { path: { project_id: props.project, key_id: key.id } },
          body: {},
        }),
      ),
    onSuccess: () => {
      notify({ text: `${shown(key.label)} was revoked.` });
      void client.invalidateQueries({ queryKey: [props.project, "api-keys"] });
      props.onClose();
    },
  });
  return (
    <ConfirmSheet
      title={`Revoke ${shown(key.label)}?`}
      action="Revoke the key"
      busy={revoke.isPending}
      error={revoke.error}
      onDo={() => revoke.mutate()}
      onClose={props.onClose}
    >
      <p>
        Programs with this key, and with keys that were created with it, are rejected within 5 seconds,
        permanently.{" "}
        {key.last_used_at == null ? (
          "It was never used."
        ) : (
          <>
            It was last used <Time at={key.last_used_at} />.
          </>
        )}
        {key.is_master ? " It works in every project, so programs of all projects stop working." : ""}
      </p>
      <p>They can no longer:</p>
      <ul className="list-disc ps-5">
        {revokedPermissions(key.scopes).map((label) => (
          <li key={label}>{label}</li>
        ))}
      </ul>
      <p className="text-soft">Runs, reviews and memories created with it are kept.</p>
    </ConfirmSheet>
  );
}

// Confirms the revocation of a key and shows what will stop working.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";
import { ConfirmSheet } from "./ConfirmSheet";
import { revokedPermissions } from "./scopes";

export function RevokeKey(props: { project: string; apiKey: Schemas["ApiKey"]; onClose: () => void }) {
  const { apiKey: key } = props;
  const texts = t.settings.keyActions.revoke;
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
      notify({ text: texts.revoked(shown(key.label)) });
      void client.invalidateQueries({ queryKey: [props.project, "api-keys"] });
      props.onClose();
    },
  });
  return (
    <ConfirmSheet
      title={texts.title(shown(key.label))}
      action={texts.submit}
      busy={revoke.isPending}
      error={revoke.error}
      onDo={() => revoke.mutate()}
      onClose={props.onClose}
    >
      <p>{texts.warning(key.last_used_at == null ? null : <Time at={key.last_used_at} />, key.is_master)}</p>
      <p>{texts.noLonger}</p>
      <ul className="list-disc ps-5">
        {revokedPermissions(key.scopes).map((label) => (
          <li key={label}>{label}</li>
        ))}
      </ul>
      <p className="text-soft">{texts.stays}</p>
    </ConfirmSheet>
  );
}

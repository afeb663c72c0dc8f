// Before a key is revoked: what will stop.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { tell } from "../../shell/toasts";
import { Ask } from "./Ask";
import { whatStops } from "./scopes";

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
      tell({ text: `${shown(key.label)} was revoked.` });
      void client.invalidateQueries({ queryKey: [props.project, "api-keys"] });
      props.onClose();
    },
  });
  return (
    <Ask
      title={`Revoke ${shown(key.label)}?`}
      action="Revoke the key"
      busy={revoke.isPending}
      error={revoke.error}
      onDo={() => revoke.mutate()}
      onClose={props.onClose}
    >
      <p>
        Programs with this key are refused within 5 seconds, for good.{" "}
        {key.last_used_at == null ? (
          "Nobody has used it yet."
        ) : (
          <>
            It was last used <Time at={key.last_used_at} />.
          </>
        )}
        {key.is_master ? " It works in every project, so this stops programs of all of them." : ""}
      </p>
      <p>They can no longer:</p>
      <ul className="list-disc ps-5">
        {whatStops(key.scopes).map((says) => (
          <li key={says}>{says}</li>
        ))}
      </ul>
      <p className="text-soft">Runs, reviews and memories that came in with it stay.</p>
    </Ask>
  );
}

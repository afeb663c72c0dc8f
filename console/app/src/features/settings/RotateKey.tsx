// Replaces a key by a new one. The old key keeps working for a day.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { ConfirmSheet } from "./ConfirmSheet";

export function RotateKey(props: { project: string; apiKey: Schemas["ApiKey"]; onClose: () => void }) {
  const { apiKey: key } = props;
  const texts = t.settings.keyActions.rotate;
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/api-keys/{key_id}/rotate", {
          params: { path: { project_id: props.project, key_id: key.id } },
          body: {},
        }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: [props.project, "api-keys"] }),
  });
  return (
    <ConfirmSheet
      title={texts.title(shown(key.label))}
      action={rotate.data === undefined ? texts.submit : texts.done}
      busy={rotate.isPending}
      error={rotate.error}
      onDo={() => (rotate.data === undefined ? rotate.mutate() : props.onClose())}
      onClose={props.onClose}
    >
      {rotate.data === undefined ? (
        <p>{texts.about}</p>
      ) : (
        <Secret label={texts.created(shown(key.label))} text={rotate.data.api_key}>
          {t.settings.keys.create.saveNow}
        </Secret>
      )}
    </ConfirmSheet>
  );
}

// Confirms the deletion of a webhook.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { notify } from "../../parts/notifications";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { ConfirmSheet } from "./ConfirmSheet";

export function DeleteWebhook(props: { project: string; webhook: Schemas["Webhook"]; onClose: () => void }) {
  const { project, webhook } = props;
  const texts = t.settings.webhooks.deletion;
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      body(
        api.DELETE("/v1/projects/{project_id}/webhooks/{webhook_id}", {
          params: { path: { project_id: project, webhook_id: webhook.id } },
        }),
      ),
    onSuccess: () => {
      notify({ text: texts.deleted });
      void client.invalidateQueries({ queryKey: [project, "webhooks"] });
      props.onClose();
    },
  });
  return (
    <ConfirmSheet
      title={texts.title}
      action={texts.submit}
      busy={remove.isPending}
      error={remove.error}
      onDo={() => remove.mutate()}
      onClose={props.onClose}
    >
      <p>{texts.about(shown(webhook.url))}</p>
    </ConfirmSheet>
  );
}

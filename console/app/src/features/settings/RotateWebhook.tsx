// Replaces the secret of a webhook. Requests are signed with both for a day.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { ConfirmSheet } from "./ConfirmSheet";

export function RotateWebhook(props: { project: string; webhook: Schemas["Webhook"]; onClose: () => void }) {
  const { project, webhook } = props;
  const texts = t.settings.webhooks.rotation;
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/webhooks/{webhook_id}/rotate", {
          params: { path: { project_id: project, webhook_id: webhook.id } },
          body: {},
        }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: [project, "webhooks"] }),
  });
  return (
    <ConfirmSheet
      title={texts.title}
      action={rotate.data === undefined ? texts.submit : texts.done}
      busy={rotate.isPending}
      error={rotate.error}
      onDo={() => (rotate.data === undefined ? rotate.mutate() : props.onClose())}
      onClose={props.onClose}
    >
      {rotate.data === undefined ? (
        <p>{texts.about}</p>
      ) : (
        <Secret label={t.settings.webhooks.create.created(shown(webhook.url))} text={rotate.data.secret}>
          {t.settings.webhooks.create.saveNow}
        </Secret>
      )}
    </ConfirmSheet>
  );
}

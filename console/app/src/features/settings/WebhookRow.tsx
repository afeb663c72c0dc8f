// A webhook of the list: its state, its actions and its deliveries.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { notify } from "../../parts/notifications";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { DeleteWebhook } from "./DeleteWebhook";
import { ErrorText } from "./form";
import { RotateWebhook } from "./RotateWebhook";
import { WebhookDeliveries } from "./WebhookDeliveries";

type Webhook = Schemas["Webhook"];

export function WebhookRow({ project, webhook }: { project: string; webhook: Webhook }) {
  const [open, setOpen] = useState(false);
  const [sheet, setSheet] = useState<"rotate" | "delete" | null>(null);
  const client = useQueryClient();
  const path = { project_id: project, webhook_id: webhook.id };
  const refresh = () => void client.invalidateQueries({ queryKey: [project, "webhooks"] });
  const texts = t.settings.webhooks;
  const name = shown(webhook.description === "" ? webhook.url : webhook.description);
  const test = useMutation({
    mutationFn: () =>
      body(api.POST("/v1/projects/{project_id}/webhooks/{webhook_id}/test", { params: { path } })),
    onSuccess: () => {
      notify({ text: texts.tested(name) });
      setOpen(true);
      refresh();
    },
  });
  const enable = useMutation({
    mutationFn: (enabled: boolean) =>
      body(
        api.PATCH("/v1/projects/{project_id}/webhooks/{webhook_id}", { params: { path }, body: { enabled } }),
      ),
    onSuccess: refresh,
  });
  const startDeletion = () => {
    // The deliveries of a deleted webhook cannot be read.
    setOpen(false);
    setSheet("delete");
  };
  const actions: readonly (readonly [string, () => void])[] = [
    ...(webhook.enabled ? [[texts.test, () => test.mutate()] as const] : []),
    [open ? texts.hideDeliveries : texts.showDeliveries, () => setOpen(!open)],
    [webhook.enabled ? texts.disable : texts.enable, () => enable.mutate(!webhook.enabled)],
    [texts.rotate, () => setSheet("rotate")],
    [texts.delete, startDeletion],
  ];
  return (
    <li className="flex flex-col gap-1 border-b border-line py-2">
      <p className="flex flex-wrap items-center gap-x-2">
        <span className="font-semibold break-all">{name}</span>
        <State webhook={webhook} />
        {webhook.include_texts ? <span className="chip">{texts.withTexts}</span> : null}
      </p>
      {webhook.description === "" ? null : (
        <p className="text-sm break-all text-soft">{shown(webhook.url)}</p>
      )}
      <p className="text-sm text-soft">{webhook.events.join(", ")}</p>
      {webhook.disabled_reason == null ? null : (
        <p className="text-sm text-fail">{texts.disabledBecause(shown(webhook.disabled_reason))}</p>
      )}
      <p className="text-sm text-soft">
        {texts.createdBy(shown(webhook.created_by), <Time at={webhook.created_at} />)}
        {webhook.previous_secret_until == null
          ? null
          : texts.bothSecrets(<Time at={webhook.previous_secret_until} />)}
      </p>
      <p className="flex flex-wrap gap-2">
        {actions.map(([label, onClick]) => (
          <button
            key={label}
            type="button"
            className="btn btn-small"
            aria-label={`${label}: ${name}`}
            onClick={onClick}
          >
            {label}
          </button>
        ))}
      </p>
      <ErrorText error={test.error ?? enable.error} />
      {open ? <WebhookDeliveries project={project} webhook={webhook} /> : null}
      {sheet === "rotate" ? (
        <RotateWebhook project={project} webhook={webhook} onClose={() => setSheet(null)} />
      ) : null}
      {sheet === "delete" ? (
        <DeleteWebhook project={project} webhook={webhook} onClose={() => setSheet(null)} />
      ) : null}
    </li>
  );
}

function State({ webhook }: { webhook: Webhook }) {
  const { state } = t.settings.webhooks;
  if (!webhook.enabled) return <span className="chip text-fail">{state.disabled}</span>;
  if (webhook.failures === 0) return <span className="chip">{state.enabled}</span>;
  return <span className="chip bg-warn-tint text-warn">{state.failing}</span>;
}

// The deliveries of a webhook, newest first, with their attempts.
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { deliveriesQuery } from "../../api/webhooks";
import { shown } from "../../parts/reveal";
import { Scroll } from "../../parts/Scroll";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { ErrorText } from "./form";

type Delivery = Schemas["WebhookDelivery"];

export function WebhookDeliveries(props: { project: string; webhook: Schemas["Webhook"] }) {
  const { project, webhook } = props;
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(deliveriesQuery(project, webhook.id));
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: (delivery: string) =>
      body(
        api.POST("/v1/projects/{project_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", {
          params: { path: { project_id: project, webhook_id: webhook.id, delivery_id: delivery } },
        }),
      ),
    onSuccess: () => void client.invalidateQueries({ queryKey: [project, "webhooks"] }),
  });
  const deliveries = data?.pages.flatMap((page) => page.rows) ?? [];
  const texts = t.settings.webhooks.deliveries;
  return (
    <div className="flex flex-col gap-2">
      <ErrorText error={error ?? redeliver.error} />
      {data !== undefined && deliveries.length === 0 ? <p>{texts.none}</p> : null}
      {deliveries.length === 0 ? null : (
        <Scroll label={texts.title} className="overflow-x-auto">
          <table className="w-full min-w-[38rem] text-sm">
            <caption className="sr-only">{texts.newestFirst}</caption>
            <thead>
              <tr className="text-xs text-soft">
                {[texts.time, texts.event, texts.state, texts.attempts, texts.action].map((name) => (
                  <th key={name} scope="col" className="py-1 pe-3 text-start">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {deliveries.map((delivery) => (
                <DeliveryRow
                  key={delivery.id}
                  delivery={delivery}
                  onRedeliver={webhook.enabled ? () => redeliver.mutate(delivery.id) : null}
                />
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
      {hasNextPage ? (
        <p>
          <button type="button" className="btn btn-small" onClick={() => void fetchNextPage()}>
            {texts.showOlder}
          </button>
        </p>
      ) : null}
    </div>
  );
}

function DeliveryRow(props: { delivery: Delivery; onRedeliver: (() => void) | null }) {
  const { delivery } = props;
  const texts = t.settings.webhooks.deliveries;
  const last = delivery.attempts.at(-1);
  return (
    <tr className="border-t border-line align-baseline">
      <td className="py-1 pe-3 whitespace-nowrap">
        <Time at={delivery.created_at} />
      </td>
      <td className="py-1 pe-3">
        <code>{shown(delivery.event)}</code>
      </td>
      <td className="py-1 pe-3">
        <span className={delivery.state === "failed" ? "text-fail" : ""}>{texts.states[delivery.state]}</span>
        {delivery.next_attempt_at == null ? null : (
          <span className="text-soft"> {texts.next(<Time at={delivery.next_attempt_at} />)}</span>
        )}
      </td>
      <td className="py-1 pe-3">
        {delivery.attempts.length}
        {last?.error == null ? null : <span className="text-soft"> {shown(last.error)}</span>}
      </td>
      <td className="py-1">
        {delivery.state === "waiting" || props.onRedeliver === null ? null : (
          <button
            type="button"
            className="btn btn-small"
            aria-label={texts.redeliverNamed(shown(delivery.event))}
            onClick={props.onRedeliver}
          >
            {texts.redeliver}
          </button>
        )}
      </td>
    </tr>
  );
}

// Webhooks: endpoints that receive events, and what was delivered to them.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { webhooksQuery } from "../../api/webhooks";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { CreateWebhook } from "./CreateWebhook";
import { Block, ErrorText, SectionBody } from "./form";
import { WebhookRow } from "./WebhookRow";

export function WebhooksPage() {
  const canEdit = usePermission("webhook:manage");
  const texts = t.settings.webhooks;
  return (
    <>
      <PageHead title={texts.title} about={texts.about} />
      <SectionBody>
        {canEdit ? <Webhooks /> : <PermissionNotice scope="webhook:manage" what={texts.seeOrCreate} />}
      </SectionBody>
    </>
  );
}

function Webhooks() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(webhooksQuery(project));
  const texts = t.settings.webhooks;
  return (
    <>
      <CreateWebhook project={project} />
      <Block title={data === undefined ? texts.list : texts.listed(data.length)} about={texts.listAbout}>
        <ErrorText error={error} />
        {data?.length === 0 ? <p>{texts.none}</p> : null}
        <ul>
          {data?.map((webhook) => (
            <WebhookRow key={webhook.id} project={project} webhook={webhook} />
          ))}
        </ul>
      </Block>
    </>
  );
}

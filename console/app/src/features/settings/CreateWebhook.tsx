// Creates a webhook. Its secret is shown once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import type { Schemas } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { Block, Checkbox, ErrorText, Field } from "./form";
import { EVENT_TYPES } from "./webhook-events";

export function CreateWebhook({ project }: { project: string }) {
  const client = useQueryClient();
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState("");
  const [events, setEvents] = useState<ReadonlySet<Schemas["WebhookEventType"]>>(new Set());
  const [includeTexts, setIncludeTexts] = useState(false);
  const create = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/webhooks", {
          params: { path: { project_id: project } },
          body: {
            url: url.trim(),
            events: [...events],
            description: description.trim(),
            include_texts: includeTexts,
          },
        }),
      ),
    onSuccess: () => {
      setUrl("");
      setDescription("");
      void client.invalidateQueries({ queryKey: [project, "webhooks"] });
    },
  });
  const toggle = (event: Schemas["WebhookEventType"]) => {
    const next = new Set(events);
    if (!next.delete(event)) next.add(event);
    setEvents(next);
  };
  const texts = t.settings.webhooks.create;
  return (
    <Block title={texts.title} about={texts.about}>
      {create.data === undefined ? null : (
        <Secret label={texts.created(shown(create.data.webhook.url))} text={create.data.secret}>
          {texts.saveNow}
        </Secret>
      )}
      <form
        className="card flex flex-col gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault();
          create.mutate();
        }}
      >
        <Field label={texts.url} hint={texts.urlHint}>
          {(names) => (
            <input
              {...names}
              className="field"
              type="url"
              required
              maxLength={2000}
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <fieldset className="flex flex-col gap-1">
          <legend className="pb-0.5 font-semibold">{texts.events}</legend>
          {EVENT_TYPES.map((event) => (
            <label key={event} className="flex gap-2 max-md:py-2">
              <input
                type="checkbox"
                className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
                checked={events.has(event)}
                onChange={() => toggle(event)}
              />
              <span>
                {t.settings.webhooks.events[event]} <code className="text-xs text-soft">{event}</code>
              </span>
            </label>
          ))}
        </fieldset>
        <Checkbox
          label={texts.includeTexts}
          hint={texts.includeTextsHint}
          checked={includeTexts}
          onChange={setIncludeTexts}
        />
        <Field label={texts.description} hint={texts.descriptionHint}>
          {(names) => (
            <input
              {...names}
              className="field"
              maxLength={200}
              value={description}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </Field>
        <ErrorText error={create.error} />
        <p>
          <button
            type="submit"
            className="btn btn-primary"
            disabled={create.isPending || events.size === 0 || url.trim() === ""}
          >
            {texts.submit}
          </button>
        </p>
      </form>
    </Block>
  );
}

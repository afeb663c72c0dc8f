// Project settings: ranking, holdout, token limits and redaction.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { projectQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { asPercent, readCount, readPercent } from "./numbers";
import { Block, ErrorText, Field, type FormProps, RadioGroup, Save, SectionBody } from "./form";
import { RedactionForm } from "./RedactionForm";
import { useSettingsPatch } from "./useSettingsPatch";

export function ProjectPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(projectQuery(project));
  const canEdit = usePermission("project:admin");
  return (
    <>
      <PageHead title="Project" about={shown(project)} />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what="change these settings" />}
        <ErrorText error={error} />
        {data === undefined ? null : (
          <>
            <RankingForm project={project} data={data} canEdit={canEdit} />
            <HoldoutForm project={project} data={data} canEdit={canEdit} />
            <TokensForm project={project} data={data} canEdit={canEdit} />
            <RedactionForm project={project} data={data} canEdit={canEdit} />
          </>
        )}
      </SectionBody>
    </>
  );
}

const RANKINGS = [
  {
    value: "learned",
    label: "Learned",
    hint: "by credit: how much better than expected the runs that used a memory did",
  },
  {
    value: "classic",
    label: "Classic",
    hint: "by q_value: every review changes it with a fixed learning rate",
  },
] as const;

function RankingForm({ project, data, canEdit }: FormProps) {
  const [draft, setDraft] = useState<Schemas["Ranking"] | null>(null);
  const patch = useSettingsPatch(project, () => setDraft(null));
  const value = draft ?? data.ranking;
  return (
    <Block title="Ranking" about="Which utility is used to rank memories.">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ ranking: value });
        }}
      >
        <RadioGroup
          legend="Utility"
          value={value}
          disabled={!canEdit}
          options={RANKINGS}
          onChange={setDraft}
        />
        <ErrorText error={patch.error} />
        {canEdit ? <Save changed={value !== data.ranking} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}

const MAX_HELD_OUT = 50;

function HoldoutForm({ project, data, canEdit }: FormProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const patch = useSettingsPatch(project, () => setDraft(null));
  const text = draft ?? asPercent(data.holdout_rate);
  const read = readPercent(text, "Held out", MAX_HELD_OUT);
  return (
    <Block
      title="Holdout"
      about="The share of retrievals that randomly get no memories, to measure the effect of memories. Off by default. If 75 % of runs pass with memories and 60 % without, about 50 reviewed held-out runs are enough to show it."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.fault === null) patch.mutate({ holdout_rate: read.value });
        }}
      >
        <Field label="Held out, in percent" hint="0 is off; 10 is a good start; at most 50.">
          {(names) => (
            <input
              {...names}
              className="field max-w-24"
              inputMode="decimal"
              disabled={!canEdit}
              value={text}
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
        </Field>
        <ErrorText error={patch.error} />
        {canEdit ? (
          <Save
            changed={draft !== null && read.value !== data.holdout_rate}
            fault={read.fault}
            busy={patch.isPending}
          />
        ) : null}
      </form>
    </Block>
  );
}

/** An upper limit far above realistic daily use. */
const MAX_TOKENS = 1_000_000_000_000;

function TokensForm({ project, data, canEdit }: FormProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const patch = useSettingsPatch(project, () => setDraft(null));
  const text = draft ?? data.daily_tokens?.toString() ?? "";
  const read = readCount(text, "Tokens", 0, MAX_TOKENS);
  return (
    <Block
      title="Tokens"
      about="The maximum number of model tokens per day (UTC), input and output. Work above the limit waits until the next day; nothing is lost."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.fault === null) patch.mutate({ daily_tokens: read.value });
        }}
      >
        <Field label="Tokens per day" hint="Empty: the server's limit applies, if there is one.">
          {(names) => (
            <input
              {...names}
              className="field max-w-48"
              inputMode="numeric"
              disabled={!canEdit}
              value={text}
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
        </Field>
        <ErrorText error={patch.error} />
        {canEdit ? (
          <Save
            changed={draft !== null && read.value !== (data.daily_tokens ?? null)}
            fault={read.fault}
            busy={patch.isPending}
          />
        ) : null}
      </form>
    </Block>
  );
}

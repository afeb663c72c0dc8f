// Project settings: ranking, holdout, token limits and redaction.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { projectQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
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
      <PageHead title={t.settings.project.title} about={shown(project)} />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what={t.settings.project.changeSettings} />}
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

const RANKINGS = ["learned", "classic"] as const;

function RankingForm({ project, data, canEdit }: FormProps) {
  const texts = t.settings.project.ranking;
  const [draft, setDraft] = useState<Schemas["Ranking"] | null>(null);
  const patch = useSettingsPatch(project, () => setDraft(null));
  const value = draft ?? data.ranking;
  return (
    <Block title={texts.title} about={texts.about}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ ranking: value });
        }}
      >
        <RadioGroup
          legend={texts.legend}
          value={value}
          disabled={!canEdit}
          options={RANKINGS.map((one) => ({ value: one, ...texts.rankings[one] }))}
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
  const texts = t.settings.project.holdout;
  const [draft, setDraft] = useState<string | null>(null);
  const patch = useSettingsPatch(project, () => setDraft(null));
  const text = draft ?? asPercent(data.holdout_rate);
  const read = readPercent(text, texts.name, MAX_HELD_OUT);
  return (
    <Block title={texts.title} about={texts.about}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.fault === null) patch.mutate({ holdout_rate: read.value });
        }}
      >
        <Field label={texts.label} hint={texts.hint}>
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
  const texts = t.settings.project.tokens;
  const [draft, setDraft] = useState<string | null>(null);
  const patch = useSettingsPatch(project, () => setDraft(null));
  const text = draft ?? data.daily_tokens?.toString() ?? "";
  const read = readCount(text, texts.name, 0, MAX_TOKENS);
  return (
    <Block title={texts.title} about={texts.about}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.fault === null) patch.mutate({ daily_tokens: read.value });
        }}
      >
        <Field label={texts.label} hint={texts.hint}>
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

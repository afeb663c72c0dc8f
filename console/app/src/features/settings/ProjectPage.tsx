// How memories are ranked and measured, what models may cost, and what is taken out of texts.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { projectQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { MayNot, useMay } from "../../shell/may";
import { PageHead } from "../../shell/Page";
import { asPercent, readCount, readPercent } from "./numbers";
import { Block, Choices, Field, Problem, Room, Save } from "./parts";
import { RedactionForm } from "./RedactionForm";
import { usePatch } from "./usePatch";

type Project = Schemas["Project"];

export function ProjectPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(projectQuery(project));
  const may = useMay("project:admin");
  return (
    <>
      <PageHead title="Project" about={shown(project)} />
      <Room>
        {may ? null : <MayNot scope="project:admin" what="change these settings" />}
        <Problem error={error} />
        {data === undefined ? null : (
          <>
            <RankingForm project={project} data={data} may={may} />
            <HoldoutForm project={project} data={data} may={may} />
            <TokensForm project={project} data={data} may={may} />
            <RedactionForm project={project} data={data} may={may} />
          </>
        )}
      </Room>
    </>
  );
}

export type FormProps = { project: string; data: Project; may: boolean };

const RANKINGS = [
  {
    value: "learned",
    label: "Learned",
    hint: "by credit: what runs that used a memory were worth beyond expectation",
  },
  { value: "classic", label: "Classic", hint: "by q_value: every review moves it by a fixed step" },
] as const;

function RankingForm({ project, data, may }: FormProps) {
  const [draft, setDraft] = useState<Schemas["Ranking"] | null>(null);
  const patch = usePatch(project, () => setDraft(null));
  const value = draft ?? data.ranking;
  return (
    <Block title="Ranking" about="What is taken for a memory's utility when memories are put in order.">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ ranking: value });
        }}
      >
        <Choices legend="Utility" value={value} disabled={!may} options={RANKINGS} onChange={setDraft} />
        <Problem error={patch.error} />
        {may ? <Save changed={value !== data.ranking} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}

const MOST_HELD_OUT = 50;

function HoldoutForm({ project, data, may }: FormProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const patch = usePatch(project, () => setDraft(null));
  const text = draft ?? asPercent(data.holdout_rate);
  const read = readPercent(text, "Held out", MOST_HELD_OUT);
  return (
    <Block
      title="Holdout"
      about="The share of retrievals that get no memories, by lot, so that what memories do can be measured. Nothing is held back unless you say so here. Where 75 % pass with memories and 60 % without, about 50 reviewed runs that were held out show it."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.fault === null) patch.mutate({ holdout_rate: read.value });
        }}
      >
        <Field label="Held out, in percent" hint="0 is off; 10 is a good start; 50 is the most.">
          {(names) => (
            <input
              {...names}
              className="field max-w-24"
              inputMode="decimal"
              disabled={!may}
              value={text}
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
        </Field>
        <Problem error={patch.error} />
        {may ? (
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

/** More than anybody pays for in a day. */
const MOST_TOKENS = 1_000_000_000_000;

function TokensForm({ project, data, may }: FormProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const patch = usePatch(project, () => setDraft(null));
  const text = draft ?? data.daily_tokens?.toString() ?? "";
  const read = readCount(text, "Tokens", 0, MOST_TOKENS);
  return (
    <Block
      title="Tokens"
      about="The most tokens that models may be paid for in a day (UTC), read and written. What is over waits for the next day; nothing is lost."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (read.fault === null) patch.mutate({ daily_tokens: read.value });
        }}
      >
        <Field label="Tokens in a day" hint="Empty: the server's own limit holds, if there is one.">
          {(names) => (
            <input
              {...names}
              className="field max-w-48"
              inputMode="numeric"
              disabled={!may}
              value={text}
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
        </Field>
        <Problem error={patch.error} />
        {may ? (
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

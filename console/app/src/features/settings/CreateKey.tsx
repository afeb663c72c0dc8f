// Creates an API key. Its secret is shown once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import type { Schemas, Scope } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
import { useScopes } from "../../shell/permissions";
import { t } from "../../texts";
import { Block, RadioGroup, Field, ErrorText } from "./form";
import { rangesIn } from "./key-expiry";
import { SCOPES, DEFAULT_SCOPES } from "./scopes";

const TRUSTS = ["normal", "untrusted", "trusted"] as const;
/** Null is the default of the server; 0 means that the key does not expire. */
const DAYS = [null, 30, 90, 365, 0] as const;
const ENVIRONMENTS = ["live", "test"] as const;

function expiryText(days: (typeof DAYS)[number]): string {
  const texts = t.settings.keys.create.expiry;
  if (days === null) return texts.default;
  if (days === 0) return texts.never;
  return days === 365 ? texts.year : texts.days(days);
}

export function CreateKey({ project }: { project: string }) {
  const granted = useScopes();
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(DEFAULT_SCOPES));
  const [trust, setTrust] = useState<Schemas["Trust"]>("normal");
  const [environment, setEnvironment] = useState<Schemas["Environment"]>("live");
  const [days, setDays] = useState<number | null>(null);
  const [ranges, setRanges] = useState("");
  const make = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/api-keys", {
          params: { path: { project_id: project } },
          body: {
            label: label.trim(),
            scopes: [...scopes],
            trust,
            environment,
            expires_in_days: days,
            address_ranges: rangesIn(ranges),
          },
        }),
      ),
    onSuccess: () => {
      setLabel("");
      void client.invalidateQueries({ queryKey: [project, "api-keys"] });
    },
  });
  const toggle = (scope: Scope) => {
    const next = new Set(scopes);
    if (!next.delete(scope)) next.add(scope);
    setScopes(next);
  };
  const texts = t.settings.keys.create;
  return (
    <Block title={texts.title} about={texts.about}>
      {make.data === undefined ? null : (
        <Secret label={texts.created(shown(make.data.key.label))} text={make.data.api_key}>
          {texts.saveNow}
        </Secret>
      )}
      <form
        className="card flex flex-col gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field label={texts.label} hint={texts.labelHint}>
          {(names) => (
            <input
              {...names}
              className="field"
              required
              maxLength={200}
              value={label}
              onChange={(event) => setLabel(event.target.value)}
            />
          )}
        </Field>
        <fieldset>
          <legend className="pb-0.5 font-semibold">{texts.permissions}</legend>
          <div className="grid grid-cols-2 gap-x-4 gap-y-1 max-sm:grid-cols-1">
            {SCOPES.filter(({ scope }) => granted.includes(scope)).map(({ scope, label: says }) => (
              <label key={scope} className="flex gap-2 max-md:py-2">
                <input
                  type="checkbox"
                  className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
                  checked={scopes.has(scope)}
                  onChange={() => toggle(scope)}
                />
                <span>
                  {says} <code className="text-xs text-soft">{scope}</code>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
        <RadioGroup
          legend={texts.trust}
          value={trust}
          options={TRUSTS.map((value) => ({ value, ...texts.trusts[value] }))}
          onChange={setTrust}
        />
        <div className="flex flex-wrap gap-4">
          <Field label={texts.environment} hint={texts.environmentHint}>
            {(names) => (
              <select
                {...names}
                className="field"
                value={environment}
                onChange={(event) => setEnvironment(event.target.value as Schemas["Environment"])}
              >
                {ENVIRONMENTS.map((name) => (
                  <option key={name} value={name}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={texts.expires} hint={texts.expiresHint}>
            {(names) => (
              <select
                {...names}
                className="field"
                value={days ?? ""}
                onChange={(event) => setDays(event.target.value === "" ? null : Number(event.target.value))}
              >
                {DAYS.map((choice) => (
                  <option key={choice} value={choice ?? ""}>
                    {expiryText(choice)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <Field label={texts.addresses} hint={texts.addressesHint}>
          {(names) => (
            <input
              {...names}
              className="field"
              value={ranges}
              onChange={(event) => setRanges(event.target.value)}
            />
          )}
        </Field>
        <ErrorText error={make.error} />
        <p>
          <button
            type="submit"
            className="btn btn-primary"
            disabled={make.isPending || scopes.size === 0 || label.trim() === ""}
          >
            {texts.submit}
          </button>
        </p>
      </form>
    </Block>
  );
}

// Creates an API key. Its secret is shown once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import type { Schemas, Scope } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
import { useScopes } from "../../shell/permissions";
import { Block, RadioGroup, Field, ErrorText } from "./form";
import { rangesIn } from "./key-expiry";
import { SCOPES, DEFAULT_SCOPES } from "./scopes";

const TRUSTS = [
  { value: "normal", label: "Normal", hint: "your own programs" },
  {
    value: "untrusted",
    label: "Untrusted",
    hint: "agents with public users: their memories stay in quarantine until a member releases them",
  },
  { value: "trusted", label: "Trusted", hint: "as trusted as your own reviews" },
] as const;

const DAYS = [
  { days: null, label: "Default" },
  { days: 30, label: "In 30 days" },
  { days: 90, label: "In 90 days" },
  { days: 365, label: "In a year" },
  { days: 0, label: "Never" },
] as const;

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
  return (
    <Block title="Create a key" about="Use one key per program. Then you can revoke each one separately.">
      {make.data === undefined ? null : (
        <Secret label={`Key “${shown(make.data.key.label)}”`} text={make.data.api_key}>
          Store it where the program reads its secrets. The server cannot show it again.
        </Secret>
      )}
      <form
        className="card flex flex-col gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        <Field label="Label" hint="For example the program and where it runs.">
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
          <legend className="pb-0.5 font-semibold">Permissions</legend>
          <div className="grid grid-cols-2 gap-x-4 gap-y-1 max-sm:grid-cols-1">
            {SCOPES.filter(({ scope }) => granted.includes(scope)).map(({ scope, label: says }) => (
              <label key={scope} className="flex gap-2">
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
        <RadioGroup legend="Trust" value={trust} options={TRUSTS} onChange={setTrust} />
        <div className="flex flex-wrap gap-4">
          <Field label="Environment" hint="Part of the key text; it has no other effect.">
            {(names) => (
              <select
                {...names}
                className="field"
                value={environment}
                onChange={(event) => setEnvironment(event.target.value as Schemas["Environment"])}
              >
                <option value="live">live</option>
                <option value="test">test</option>
              </select>
            )}
          </Field>
          <Field label="Expires" hint="By default after 90 days. The server may limit the lifetime of keys.">
            {(names) => (
              <select
                {...names}
                className="field"
                value={days ?? ""}
                onChange={(event) => setDays(event.target.value === "" ? null : Number(event.target.value))}
              >
                {DAYS.map((choice) => (
                  <option key={choice.label} value={choice.days ?? ""}>
                    {choice.label}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <Field
          label="Address ranges"
          hint="For example 10.0.0.0/8, separated by commas. Empty: the key works from everywhere."
        >
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
            Create the key
          </button>
        </p>
      </form>
    </Block>
  );
}

// Removes all memories that came from one API key, one run or one time range, after showing how many there are.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiKeysQuery } from "../../api/memories";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { BulkEditSheet } from "./BulkEditSheet";
import { NO_SOURCE, type Source, sourceSelection } from "./source";

const KINDS: readonly Source["kind"][] = ["key", "trace", "time"];

export function SourceSheet(props: {
  project: string;
  start?: Partial<Source>;
  onClose: (done: boolean) => void;
}) {
  const [source, setSource] = useState<Source>({ ...NO_SOURCE, ...props.start });
  const set = (change: Partial<Source>) => setSource({ ...source, ...change });
  const selection = sourceSelection(source);
  const { source: texts } = t.memories;
  return (
    <BulkEditSheet
      project={props.project}
      title={texts.title}
      which={selection === null ? null : { filter: selection }}
      first="quarantine"
      verbs={["quarantine", "disable", "delete"]}
      onClose={props.onClose}
    >
      <fieldset className="flex flex-wrap gap-4">
        <legend className="mb-1 text-xs font-semibold text-soft">{texts.source}</legend>
        {KINDS.map((kind) => (
          <label key={kind} className="flex items-center gap-1.5">
            <input
              type="radio"
              name="source"
              className="h-4 w-4 accent-accent"
              checked={source.kind === kind}
              onChange={() => set({ kind })}
            />
            {texts.kinds[kind]}
          </label>
        ))}
      </fieldset>
      {source.kind === "key" ? <KeyField project={props.project} source={source} onChange={set} /> : null}
      {source.kind === "trace" ? (
        <label className="flex flex-col gap-0.5 text-xs font-semibold text-soft">
          {texts.runId}
          <input
            className="field font-mono text-sm font-normal text-ink"
            spellCheck={false}
            value={source.trace}
            onChange={(event) => set({ trace: event.target.value.trim() })}
          />
        </label>
      ) : null}
      <div className="grid gap-3 sm:grid-cols-2">
        <Moment label={texts.from} value={source.from} onChange={(from) => set({ from })} />
        <Moment label={texts.to} value={source.to} onChange={(to) => set({ to })} />
      </div>
    </BulkEditSheet>
  );
}

/** Lists keys by name for members who may list them; for others, a field for the id. */
function KeyField(props: { project: string; source: Source; onChange: (change: Partial<Source>) => void }) {
  const { data: keys } = useQuery({ ...apiKeysQuery(props.project), retry: false });
  const { key } = props.source;
  const { source: texts } = t.memories;
  const known = keys?.some((one) => one.id === key) === true || key === "";
  return (
    <label className="flex flex-col gap-0.5 text-xs font-semibold text-soft">
      {keys === undefined ? texts.keyId : texts.key}
      {keys === undefined ? (
        <input
          className="field font-mono text-sm font-normal text-ink"
          spellCheck={false}
          value={key}
          onChange={(event) => props.onChange({ key: event.target.value.trim() })}
        />
      ) : (
        <select
          className="field text-sm font-normal text-ink"
          value={key}
          onChange={(event) => props.onChange({ key: event.target.value })}
        >
          <option value="">{texts.chooseKey}</option>
          {known ? null : <option value={key}>{key}</option>}
          {keys.map((one) => (
            <option key={one.id} value={one.id}>
              {texts.keyOption(shown(one.label), one.public_id, one.trust, one.status)}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}

function Moment(props: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label className="flex flex-col gap-0.5 text-xs font-semibold text-soft">
      {props.label}
      <input
        type="datetime-local"
        className="field text-sm font-normal text-ink"
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </label>
  );
}

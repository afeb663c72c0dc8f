// Adds a rule for a source of signals that is not listed yet.
import { useState } from "react";
import { t } from "../../texts";
import { Block, ErrorText, Field } from "./form";
import { isSourceName } from "./source-rule";
import { useSettingsPatch } from "./useSettingsPatch";

export function AddSource(props: { project: string; known: readonly string[] }) {
  const [name, setName] = useState("");
  const patch = useSettingsPatch(props.project, () => setName(""));
  const texts = t.settings.signals.add;
  const source = name.trim();
  const fault = props.known.includes(source) ? texts.exists : isSourceName(source) ? null : texts.invalid;
  return (
    <Block title={texts.title} about={texts.about}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ signals: { sources: { [source]: {} } } });
        }}
      >
        <Field label={texts.name} hint={texts.nameHint}>
          {(names) => (
            <input
              {...names}
              className="field max-w-80"
              autoComplete="off"
              spellCheck={false}
              maxLength={40}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <ErrorText error={patch.error} />
        <p className="flex flex-wrap items-center gap-3">
          <button type="submit" className="btn" disabled={source === "" || fault !== null || patch.isPending}>
            {texts.submit}
          </button>
          <span role="status" className="text-sm text-fail">
            {source === "" ? "" : fault}
          </span>
        </p>
      </form>
    </Block>
  );
}

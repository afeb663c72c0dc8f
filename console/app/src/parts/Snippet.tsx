// The example program that stores a first run, with server address, project and optionally a key.
import { useState } from "react";
import { base } from "../api/base";
import { t } from "../texts";
import { Copy } from "./Copy";
import { type Form, FORMS, INSTALL, snippet } from "./snippets";

export function Snippet(props: { project: string; apiKey: string | null }) {
  const { snippet: texts } = t.parts;
  const [form, setForm] = useState<Form>("Context manager");
  const code = snippet(form, { url: location.origin + base, key: props.apiKey, project: props.project });
  return (
    <div className="flex w-full min-w-0 flex-col gap-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
        <code className="plain-run">{INSTALL.pip}</code>
        <Copy small text={INSTALL.pip} label={texts.copyPip} />
        <Copy small text={INSTALL.uv} label={texts.copyUv} />
      </p>
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">{texts.style}</legend>
        {FORMS.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={form === name}
            className={`btn btn-small ${form === name ? "bg-accent-tint font-semibold" : ""}`}
            onClick={() => setForm(name)}
          >
            {texts.forms[name]}
          </button>
        ))}
      </fieldset>
      {/* Uses the height of the longest variant, to avoid a layout shift. */}
      <pre
        aria-label={texts.program}
        className="plain-run card min-h-[24.5rem] w-full overflow-x-auto p-3 sm:min-h-[22rem]"
      >
        {code}
      </pre>
      <p>
        <Copy text={code} label={texts.copy} />
      </p>
    </div>
  );
}

// A secret that is shown once. It is not stored here.
import { useId } from "react";
import { t } from "../texts";
import { Copy } from "./Copy";

export function Secret(props: { label: string; text: string; children?: React.ReactNode }) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5 rounded border border-warn bg-warn-tint p-3">
      <label htmlFor={id} className="font-semibold">
        {props.label}
      </label>
      <div className="flex gap-2">
        <input
          id={id}
          readOnly
          className="field font-mono text-xs"
          value={props.text}
          onFocus={(event) => event.target.select()}
        />
        <Copy text={props.text} />
      </div>
      <p className="text-sm">
        {t.parts.secret.onlyOnce} {props.children}
      </p>
    </div>
  );
}

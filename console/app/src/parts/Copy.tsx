// A copy button with a confirmation.
import { useState } from "react";
import { t } from "../texts";
import { announce } from "./announce";
import { notify } from "./notifications";

export function Copy(props: { text: string; label?: string; small?: boolean; plain?: boolean }) {
  const [done, setDone] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setDone(props.text);
      announce(t.parts.copy.announcement);
    } catch {
      // Browsers allow copying only over TLS and on localhost.
      notify({ text: t.parts.copy.blocked, tone: "bad" });
    }
  };
  return (
    <button
      type="button"
      className={`btn ${props.small === true ? "btn-small" : ""} ${props.plain === true ? "btn-plain" : ""}`}
      onClick={() => void copy()}
    >
      {/* The same width before and after, to avoid a layout shift. */}
      <span className="grid">
        <span className={`col-start-1 row-start-1 ${done === props.text ? "invisible" : ""}`}>
          {props.label ?? t.parts.copy.copy}
        </span>
        <span className={`col-start-1 row-start-1 ${done === props.text ? "" : "invisible"}`}>
          {t.parts.copy.copied}
        </span>
      </span>
    </button>
  );
}

// A copy button with a confirmation.
import { useState } from "react";
import { announce } from "./announce";
import { notify } from "./notifications";

export function Copy(props: { text: string; label?: string; small?: boolean; plain?: boolean }) {
  const [done, setDone] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setDone(props.text);
      announce("Copied.");
    } catch {
      // Browsers allow copying only over TLS and on localhost.
      notify({
        text: "The browser does not allow copying. Select the text and copy it.",
        tone: "bad",
      });
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
          {props.label ?? "Copy"}
        </span>
        <span className={`col-start-1 row-start-1 ${done === props.text ? "" : "invisible"}`}>Copied</span>
      </span>
    </button>
  );
}

// Puts a text where it can be pasted from, and says that it did.
import { useState } from "react";
import { announce } from "../shell/announce";
import { tell } from "../shell/toasts";

export function Copy(props: { text: string; label?: string; small?: boolean; plain?: boolean }) {
  const [done, setDone] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setDone(props.text);
      announce("Copied.");
    } catch {
      // Browsers let pages copy over TLS and on the machine itself only.
      tell({
        text: "The browser does not let this page copy. Select the text and copy it yourself.",
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
      {/* As wide before as after, so that nothing moves. */}
      <span className="grid">
        <span className={`col-start-1 row-start-1 ${done === props.text ? "invisible" : ""}`}>
          {props.label ?? "Copy"}
        </span>
        <span className={`col-start-1 row-start-1 ${done === props.text ? "" : "invisible"}`}>Copied</span>
      </span>
    </button>
  );
}

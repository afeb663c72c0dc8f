// Puts a text where it can be pasted from, and says that it did.
import { useState } from "react";
import { announce } from "../shell/announce";

export function Copy(props: { text: string; label?: string; small?: boolean }) {
  const [done, setDone] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.text);
      setDone(props.text);
      announce("Copied.");
    } catch {
      announce("The browser does not let this page copy. Select the text and copy it yourself.");
    }
  };
  return (
    <button
      type="button"
      className={props.small === true ? "btn btn-small" : "btn"}
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

// A confirmation dialog for an action that cannot be undone.
import type { ReactNode } from "react";
import { Heading } from "react-aria-components";
import { Overlay } from "../../shell/Overlay";
import { t } from "../../texts";
import { ErrorText } from "./form";

export function ConfirmSheet(props: {
  title: string;
  action: string;
  busy: boolean;
  disabled?: boolean;
  error: unknown;
  onDo: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Overlay label={props.title} onClose={props.onClose}>
      <form
        className="flex flex-col gap-3 overflow-y-auto p-4"
        onSubmit={(event) => {
          event.preventDefault();
          props.onDo();
        }}
      >
        <Heading slot="title" level={2} className="section-title">
          {props.title}
        </Heading>
        {props.children}
        <ErrorText error={props.error} />
        <p className="flex justify-end gap-2">
          <button type="button" className="btn" onClick={props.onClose}>
            {t.settings.form.cancel}
          </button>
          <button
            type="submit"
            className="btn border-fail text-fail"
            disabled={props.busy || props.disabled === true}
          >
            {props.action}
          </button>
        </p>
      </form>
    </Overlay>
  );
}

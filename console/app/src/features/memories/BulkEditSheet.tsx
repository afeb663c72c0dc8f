// Applies one action to many memories: shows a preview first, then applies it. It can be undone.
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Heading } from "react-aria-components";
import { errorMessage } from "../../api/errors";
import { type BulkAction, applyBulkAction, type BulkSelection } from "../../api/memories";
import { recordOwnChange } from "../../shell/live-updates";
import { Overlay } from "../../shell/Overlay";
import { t } from "../../texts";
import { BULK_ACTIONS } from "./labels";
import { useMemoryActions } from "./useMemoryActions";

export function BulkEditSheet(props: {
  project: string;
  title: string;
  /** Which memories; null while the selection is incomplete. */
  which: BulkSelection | null;
  first: BulkAction;
  verbs?: readonly BulkAction[];
  /** The form fields that select the memories. */
  children: ReactNode;
  onClose: (done: boolean) => void;
}) {
  const { project, which } = props;
  const { bulk: texts, cancel } = t.memories;
  const actions = useMemoryActions(project);
  const [verb, setVerb] = useState<BulkAction>(props.first);
  const verbs = props.verbs ?? BULK_ACTIONS;
  const preview = useQuery({
    queryKey: [project, "bulk-edit", which, verb],
    queryFn: async () => {
      const would = await applyBulkAction(project, {
        ...(which ?? { filter: {} }),
        action: verb,
        dry_run: true,
      });
      // The server publishes an event for every call of this route, even if nothing changes.
      recordOwnChange("memories");
      return would;
    },
    enabled: which !== null,
    gcTime: 0,
  });
  const run = useMutation({
    mutationFn: () => applyBulkAction(project, { ...(which ?? { filter: {} }), action: verb }),
    onSuccess: (done) => {
      actions.reportDone(sentence(done.effect), { action_id: done.action_id ?? null }, null);
      props.onClose(true);
    },
  });
  const changed = which === null ? 0 : (preview.data?.changed ?? 0);
  const ready = changed > 0 && !run.isPending && !preview.isFetching;
  const problem = preview.error ?? run.error;
  return (
    <Overlay label={props.title} onClose={() => props.onClose(false)}>
      <form
        className="flex min-h-0 flex-col gap-3 overflow-y-auto p-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) run.mutate();
        }}
      >
        <Heading slot="title" level={2} className="text-base font-semibold text-ink">
          {props.title}
        </Heading>
        {props.children}
        <fieldset className="grid gap-x-4 gap-y-1 sm:grid-cols-2">
          <legend className="mb-1 text-xs font-semibold text-soft">{texts.action}</legend>
          {verbs.map((one) => (
            <label
              key={one}
              className={`flex items-start gap-1.5 ${one === "delete" ? "border-t border-line pt-1 sm:col-span-2" : ""}`}
            >
              <input
                type="radio"
                name="verb"
                className="mt-0.5 h-4 w-4 shrink-0 accent-accent"
                checked={verb === one}
                onChange={() => setVerb(one)}
              />
              <span>
                {texts.verbs[one].label}
                <span className="block text-xs text-soft">{texts.verbs[one].about}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <p role="status" className="min-h-10 rounded bg-sunken px-3 py-2">
          {which === null ? texts.choose : preview.data === undefined ? "" : sentence(preview.data.effect)}
        </p>
        {problem === null ? null : (
          <p role="alert" className="text-fail">
            {errorMessage(problem)}
          </p>
        )}
        <p className="flex justify-end gap-2">
          <button type="button" className="btn" onClick={() => props.onClose(false)}>
            {cancel}
          </button>
          <button type="submit" className="btn btn-primary" disabled={!ready}>
            {texts.submit(verb, changed)}
          </button>
        </p>
      </form>
    </Overlay>
  );
}

const sentence = (text: string) => (text.endsWith(".") ? text : `${text}.`);

// Actions on memories and bulk reviews by members and API keys, with undo.
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, body } from "../../api/client";
import { actionsQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import type { Json } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";
import { hasUndo } from "../lesson/change-text";
import { actionText } from "./action-text";
import { Checkbox, ErrorText, SectionBody } from "./form";

type Action = Schemas["Action"];

export function ActionsPage() {
  const { project } = useParams({ from: "/p/$project" });
  const [automatic, setAutomatic] = useState(false);
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(actionsQuery(project, automatic));
  const canEditMemories = usePermission("memory:write");
  const canReview = usePermission("review:write");
  const client = useQueryClient();
  const undo = useMutation({
    mutationFn: (action: Action) =>
      body(
        api.POST("/v1/projects/{project_id}/actions/{action_id}/undo", {
          params: { path: { project_id: project, action_id: action.id } },
        }),
      ),
    onSuccess: () => notify({ text: t.settings.actions.undone }),
    onSettled: () => client.invalidateQueries({ queryKey: [project] }),
  });
  const actions = data?.pages.flatMap((page) => page.rows) ?? [];
  const canUndo = (action: Action) =>
    hasUndo(action) && canEditMemories && (action.reviews === 0 || canReview);
  const texts = t.settings.actions;
  return (
    <>
      <PageHead
        title={texts.title}
        about={data === undefined ? "" : texts.newestFirst(actions.length, hasNextPage)}
      />
      <SectionBody>
        {canEditMemories ? null : <PermissionNotice scope="memory:write" what={texts.undoActions} />}
        <Checkbox
          label={texts.automatic}
          hint={texts.automaticHint(
            <Link className="link" to="/p/$project/settings/lessons" params={{ project }}>
              {texts.lessonSettings}
            </Link>,
          )}
          checked={automatic}
          onChange={setAutomatic}
        />
        <ErrorText error={error ?? undo.error} />
        {data !== undefined && actions.length === 0 ? <p className="max-w-prose">{texts.none}</p> : null}
        <ul>
          {actions.map((action) => (
            <li
              key={action.id}
              className="flex flex-wrap items-start gap-x-3 gap-y-1 border-b border-line py-2"
            >
              <div className="min-w-0 flex-1">
                <p>
                  {texts.line(
                    <span className="font-semibold">{shown(actionText(action))}</span>,
                    shown(action.actor),
                    <Time at={action.created_at} />,
                  )}
                </p>
                <p className="text-sm text-soft">{effectOf(action)}</p>
                {Object.keys(action.summary).length === 0 ? null : (
                  <details className="text-sm">
                    <summary className="text-soft">{texts.details}</summary>
                    <JsonTree value={action.summary as Json} label={texts.details} levels={1} />
                  </details>
                )}
              </div>
              {action.undone_at == null && canUndo(action) ? (
                <button
                  type="button"
                  className="btn btn-small"
                  disabled={undo.isPending}
                  aria-label={texts.undoNamed(shown(actionText(action)))}
                  onClick={() => undo.mutate(action)}
                >
                  {texts.undo}
                </button>
              ) : null}
            </li>
          ))}
        </ul>
        {hasNextPage ? (
          <p>
            <button type="button" className="btn" onClick={() => void fetchNextPage()}>
              {texts.showOlder}
            </button>
          </p>
        ) : null}
      </SectionBody>
    </>
  );
}

function effectOf(action: Action) {
  const texts = t.settings.actions;
  const changed = texts.changed(action.memories, action.reviews);
  if (action.undone_at == null) return changed;
  const actor = shown(action.undone_by ?? texts.unknown);
  return texts.changedAndUndone(changed, actor, <Time at={action.undone_at} />);
}

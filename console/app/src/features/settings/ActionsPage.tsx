// Actions on memories and bulk reviews by members and API keys, with undo.
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { api, body } from "../../api/client";
import { actionsQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import type { Json } from "../../parts/json";
import { JsonTree } from "../../parts/JsonTree";
import { shown } from "../../parts/reveal";
import { counted, Time } from "../../parts/time";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { notify } from "../../parts/notifications";
import { hasUndo } from "../lesson/change-text";
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
    onSuccess: () => notify({ text: "Undone. Other changes are kept." }),
    onSettled: () => client.invalidateQueries({ queryKey: [project] }),
  });
  const actions = data?.pages.flatMap((page) => page.rows) ?? [];
  const canUndo = (action: Action) =>
    hasUndo(action) && canEditMemories && (action.reviews === 0 || canReview);
  return (
    <>
      <PageHead
        title="Actions"
        about={data === undefined ? "" : `${actions.length}${hasNextPage ? "+" : ""} actions, newest first`}
      />
      <SectionBody>
        {canEditMemories ? null : <PermissionNotice scope="memory:write" what="undo actions" />}
        <Checkbox
          label="Also show automatic changes"
          hint="A run that joined a lesson, or that superseded a memory. You can undo these too. The grouping of older memories is reverted under Lessons."
          checked={automatic}
          onChange={setAutomatic}
        />
        <ErrorText error={error ?? undo.error} />
        {data !== undefined && actions.length === 0 ? (
          <p className="max-w-prose">
            No actions yet. Edits, merges and status changes of memories, and bulk reviews, are listed here
            with their author. You can undo them in any order.
          </p>
        ) : null}
        <ul>
          {actions.map((action) => (
            <li key={action.id} className="flex items-start gap-3 border-b border-line py-2">
              <div className="min-w-0 flex-1">
                <p>
                  <code className="text-sm font-semibold">{shown(action.kind)}</code> by {shown(action.actor)}{" "}
                  <Time at={action.created_at} />
                </p>
                <p className="text-sm text-soft">
                  {counted(action.memories, "memory", "memories")} changed,{" "}
                  {counted(action.reviews, "review", "reviews")} given
                  {action.undone_at == null ? (
                    ""
                  ) : (
                    <>
                      ; undone by {shown(action.undone_by ?? "unknown")} <Time at={action.undone_at} />
                    </>
                  )}
                </p>
                {Object.keys(action.summary).length === 0 ? null : (
                  <details className="text-sm">
                    <summary className="text-soft">Details</summary>
                    <JsonTree value={action.summary as Json} label="Details" levels={1} />
                  </details>
                )}
              </div>
              {action.undone_at == null && canUndo(action) ? (
                <button
                  type="button"
                  className="btn btn-small"
                  disabled={undo.isPending}
                  aria-label={`Undo ${shown(action.kind)} of ${action.created_at}`}
                  onClick={() => undo.mutate(action)}
                >
                  Undo
                </button>
              ) : null}
            </li>
          ))}
        </ul>
        {hasNextPage ? (
          <p>
            <button type="button" className="btn" onClick={() => void fetchNextPage()}>
              Show older actions
            </button>
          </p>
        ) : null}
      </SectionBody>
    </>
  );
}

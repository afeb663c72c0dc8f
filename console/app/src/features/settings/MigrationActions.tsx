// The buttons of an embedding model migration.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { embeddingQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { ConfirmSheet } from "./ConfirmSheet";
import { labelOf, type MigrationAction, actionsIn } from "./migration";
import { Comparison } from "./Comparison";
import { Field, ErrorText } from "./form";

type Change = Schemas["EmbeddingChange"];

export function MigrationActions(props: { project: string; data: Change }) {
  const { data, project } = props;
  const client = useQueryClient();
  const [threshold, setThreshold] = useState("");
  const [finishing, setFinishing] = useState(false);
  const params = { path: { project_id: project } };
  const least = threshold.trim() === "" ? null : Number(threshold.replace(",", "."));
  const wrong = least !== null && !(least >= -1 && least <= 1);
  const compare = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/embedding-change/compare", {
          params,
          body: { similarity_threshold: least },
        }),
      ),
  });
  const move = useMutation({
    mutationFn: (which: Exclude<MigrationAction, "compare">) => body(call(which, params, least)),
    onSuccess: (now) => {
      client.setQueryData(embeddingQuery(project).queryKey, now);
      setFinishing(false);
    },
    onError: () => void client.invalidateQueries({ queryKey: [project, "embedding-change"] }),
  });
  const moves = actionsIn(data.state);
  const act = (which: MigrationAction) => {
    if (which === "compare") compare.mutate();
    else if (which === "finish") setFinishing(true);
    else move.mutate(which);
  };
  return (
    <div className="flex flex-col gap-3">
      {moves.includes("compare") ? (
        <Field
          label="Similarity threshold in the new space"
          hint="Empty: unchanged. Compare tests it, Switch sets it. −1 to 1."
        >
          {(names) => (
            <input
              {...names}
              className="field max-w-32"
              inputMode="decimal"
              value={threshold}
              onChange={(event) => setThreshold(event.target.value)}
            />
          )}
        </Field>
      ) : null}
      <p className="flex flex-wrap gap-2">
        {moves.map((which) => (
          <button
            key={which}
            type="button"
            className="btn"
            disabled={move.isPending || compare.isPending || wrong}
            onClick={() => act(which)}
          >
            {labelOf(which, data.state)}
          </button>
        ))}
        {compare.isPending ? <span className="text-soft">Querying both spaces …</span> : null}
      </p>
      {wrong ? <p className="text-fail">The threshold must be a number from −1 to 1.</p> : null}
      <ErrorText error={move.error ?? compare.error} />
      {moves.includes("begin") ? (
        <p className="max-w-prose text-sm text-soft">
          Every server process needs the new model as its next embedder: set <code>--next-embedder</code> and
          its related options.
        </p>
      ) : null}
      {compare.data === undefined ? null : (
        <Comparison
          data={compare.data}
          onThreshold={(value) => setThreshold(String(Math.round(value * 1000) / 1000))}
        />
      )}
      {finishing ? (
        <ConfirmSheet
          title="Finish the migration?"
          action="Finish"
          busy={move.isPending}
          error={move.error}
          onDo={() => move.mutate("finish")}
          onClose={() => setFinishing(false)}
        >
          <p>
            The space in use is kept, and the vectors of the other space are removed. After that a rollback is
            not possible.
          </p>
        </ConfirmSheet>
      ) : null}
    </div>
  );
}

function call(
  which: Exclude<MigrationAction, "compare">,
  params: { path: { project_id: string } },
  least: number | null,
) {
  const at = { params, body: {} };
  if (which === "begin") return api.POST("/v1/projects/{project_id}/embedding-change", at);
  if (which === "rollback") return api.POST("/v1/projects/{project_id}/embedding-change/rollback", at);
  if (which === "finish") return api.POST("/v1/projects/{project_id}/embedding-change/finish", at);
  return api.POST("/v1/projects/{project_id}/embedding-change/switch", {
    params,
    body: { similarity_threshold: least },
  });
}

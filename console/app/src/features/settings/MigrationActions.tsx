// The buttons of an embedding model migration.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { embeddingQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { language, t } from "../../texts";
import { ConfirmSheet } from "./ConfirmSheet";
import { labelOf, type MigrationAction, actionsIn } from "./migration";
import { Comparison } from "./Comparison";
import { Field, ErrorText } from "./form";

type Change = Schemas["EmbeddingChange"];

export function MigrationActions(props: { project: string; data: Change }) {
  const { data, project } = props;
  const texts = t.settings.migration;
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
        <Field label={texts.threshold} hint={texts.thresholdHint}>
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
        {compare.isPending ? <span className="text-soft">{texts.comparing}</span> : null}
      </p>
      {wrong ? <p className="text-fail">{texts.thresholdFault}</p> : null}
      <ErrorText error={move.error ?? compare.error} />
      {moves.includes("begin") ? (
        <p className="max-w-prose text-sm text-soft">{texts.beginAbout(<code>--next-embedder</code>)}</p>
      ) : null}
      {compare.data === undefined ? null : (
        <Comparison
          data={compare.data}
          onThreshold={(value) => setThreshold(value.toLocaleString(language, { maximumFractionDigits: 3 }))}
        />
      )}
      {finishing ? (
        <ConfirmSheet
          title={texts.confirmFinish}
          action={texts.finish}
          busy={move.isPending}
          error={move.error}
          onDo={() => move.mutate("finish")}
          onClose={() => setFinishing(false)}
        >
          <p>{texts.finishAbout}</p>
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

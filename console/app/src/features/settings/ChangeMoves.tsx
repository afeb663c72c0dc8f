// The buttons of a change of the embedding model.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { embeddingQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { Ask } from "./Ask";
import { labelOf, type Move, movesIn } from "./change";
import { Comparison } from "./Comparison";
import { Field, Problem } from "./parts";

type Change = Schemas["EmbeddingChange"];

export function ChangeMoves(props: { project: string; data: Change }) {
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
    mutationFn: (which: Exclude<Move, "compare">) => body(call(which, params, least)),
    onSuccess: (now) => {
      client.setQueryData(embeddingQuery(project).queryKey, now);
      setFinishing(false);
    },
    onError: () => void client.invalidateQueries({ queryKey: [project, "embedding-change"] }),
  });
  const moves = movesIn(data.state);
  const act = (which: Move) => {
    if (which === "compare") compare.mutate();
    else if (which === "finish") setFinishing(true);
    else move.mutate(which);
  };
  return (
    <div className="flex flex-col gap-3">
      {moves.includes("compare") ? (
        <Field
          label="Similarity threshold in the new space"
          hint="Empty: as it is. Compare tries it, Switch sets it. −1 to 1."
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
        {compare.isPending ? <span className="text-soft">Both spaces are asked …</span> : null}
      </p>
      {wrong ? <p className="text-fail">The threshold is a number from −1 to 1.</p> : null}
      <Problem error={move.error ?? compare.error} />
      {moves.includes("begin") ? (
        <p className="max-w-prose text-sm text-soft">
          The server needs the new model as its next embedder, <code>--next-embedder</code> and what follows
          it, in every process.
        </p>
      ) : null}
      {compare.data === undefined ? null : (
        <Comparison
          data={compare.data}
          onThreshold={(value) => setThreshold(String(Math.round(value * 1000) / 1000))}
        />
      )}
      {finishing ? (
        <Ask
          title="Finish the change?"
          action="Finish"
          busy={move.isPending}
          error={move.error}
          onDo={() => move.mutate("finish")}
          onClose={() => setFinishing(false)}
        >
          <p>
            The space that questions go to is kept; the vectors of the other are removed. After that there is
            no rolling back, only another change.
          </p>
        </Ask>
      ) : null}
    </div>
  );
}

function call(
  which: Exclude<Move, "compare">,
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

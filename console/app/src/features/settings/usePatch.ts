// Changes settings of a project, and shows what the server made of them.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { projectQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { tell } from "../../shell/toasts";

export function usePatch(project: string, onSaved: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: Schemas["ChangeProject"]) =>
      body(
        api.PATCH("/v1/projects/{project_id}", {
          params: { path: { project_id: project } },
          body: change,
        }),
      ),
    onSuccess: (now) => {
      client.setQueryData(projectQuery(project).queryKey, now);
      for (const noun of ["judge", "uplift"]) void client.invalidateQueries({ queryKey: [project, noun] });
      onSaved();
      tell({ text: "Saved." });
    },
  });
}

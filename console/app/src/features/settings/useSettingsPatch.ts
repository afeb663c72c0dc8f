// Changes project settings and updates the cache with the response.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { projectQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { notify } from "../../parts/notifications";
import { t } from "../../texts";

export function useSettingsPatch(project: string, onSaved: () => void) {
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
      for (const noun of ["judge", "signals", "uplift"])
        void client.invalidateQueries({ queryKey: [project, noun] });
      onSaved();
      notify({ text: t.settings.input.saved });
    },
  });
}

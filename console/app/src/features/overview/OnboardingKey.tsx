// Creates the API key for the first program, if the member has the scope.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import { Secret } from "../../parts/Secret";
import { t } from "../../texts";
import { PermissionNotice, usePermission } from "../../shell/permissions";

export function OnboardingKey(props: {
  project: string;
  apiKey: string | null;
  done: boolean;
  onKey: (key: string) => void;
}) {
  const canEdit = usePermission("key:manage");
  const client = useQueryClient();
  const texts = t.overview.onboarding.key;
  const make = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/api-keys", {
          params: { path: { project_id: props.project } },
          body: {
            label: texts.name,
            scopes: ["memory:read", "trace:read", "trace:write", "review:write"],
          },
        }),
      ),
    onSuccess: (made) => {
      props.onKey(made.api_key);
      void client.invalidateQueries({ queryKey: [props.project, "api-keys"] });
    },
  });
  if (props.apiKey !== null) {
    return (
      <Secret label={texts.secret} text={props.apiKey}>
        {texts.aboutSecret}
      </Secret>
    );
  }
  if (!canEdit) return <PermissionNotice scope="key:manage" what={texts.action} />;
  return (
    <>
      <p className={props.done ? "text-soft" : ""}>{props.done ? texts.exists : texts.needed}</p>
      <p>
        <button
          type="button"
          className={props.done ? "btn" : "btn btn-primary"}
          disabled={make.isPending}
          onClick={() => make.mutate()}
        >
          {props.done ? texts.createAnother : texts.create}
        </button>
      </p>
      {make.error === null ? null : (
        <p role="alert" className="text-fail">
          {errorMessage(make.error)}
        </p>
      )}
    </>
  );
}

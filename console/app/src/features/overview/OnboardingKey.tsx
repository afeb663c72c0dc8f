// Creates the API key for the first program, if the member has the scope.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { errorMessage } from "../../api/errors";
import { Secret } from "../../parts/Secret";
import { PermissionNotice, usePermission } from "../../shell/permissions";

export function OnboardingKey(props: {
  project: string;
  apiKey: string | null;
  done: boolean;
  onKey: (key: string) => void;
}) {
  const canEdit = usePermission("key:manage");
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/api-keys", {
          params: { path: { project_id: props.project } },
          body: {
            label: "first program",
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
      <Secret label="Key for the first program" text={props.apiKey}>
        The key is inserted into the program below until you leave this page. You can revoke it in Settings.
      </Secret>
    );
  }
  if (!canEdit) return <PermissionNotice scope="key:manage" what="create keys" />;
  return (
    <>
      <p className={props.done ? "text-soft" : ""}>
        {props.done
          ? "This project is already in use or has a key. You can create another key for the program below."
          : "A program needs a key. This key can store runs and reviews and read memories, in this project only."}
      </p>
      <p>
        <button
          type="button"
          className={props.done ? "btn" : "btn btn-primary"}
          disabled={make.isPending}
          onClick={() => make.mutate()}
        >
          Create {props.done ? "another" : "a"} key
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

// The key of a first program: made here once, by those who may.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { words } from "../../api/failure";
import { Once } from "../../parts/Once";
import { MayNot, useMay } from "../../shell/may";

export function FirstKey(props: {
  project: string;
  apiKey: string | null;
  done: boolean;
  onKey: (key: string) => void;
}) {
  const may = useMay("key:manage");
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
      <Once label="Key of the first program" text={props.apiKey}>
        It stands in the program below until you leave this page. Settings revokes it.
      </Once>
    );
  }
  if (!may) return <MayNot scope="key:manage" what="make keys" />;
  return (
    <>
      <p className={props.done ? "text-soft" : ""}>
        {props.done
          ? "This project is in use already, or has a key. Another one can be made for the program below."
          : "A program shows a key to this server. It may store runs and reviews and read memories, in this project alone."}
      </p>
      <p>
        <button
          type="button"
          className={props.done ? "btn" : "btn btn-primary"}
          disabled={make.isPending}
          onClick={() => make.mutate()}
        >
          Make {props.done ? "another" : "a"} key
        </button>
      </p>
      {make.error === null ? null : (
        <p role="alert" className="text-fail">
          {words(make.error)}
        </p>
      )}
    </>
  );
}

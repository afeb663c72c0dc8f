// Invites a member: a name, a role, the projects of the role. The sign-in link is shown once.
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { body, consoleApi } from "../../api/client";
import { sessionQuery } from "../../api/queries";
import type { Role } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
import { t } from "../../texts";
import { linkUrl } from "./sign-in-link";
import { Block, RadioGroup, Field, ErrorText } from "./form";
import { ROLES } from "./roles";

export function AddMember() {
  const client = useQueryClient();
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("reviewer");
  const [all, setAll] = useState(true);
  const [some, setSome] = useState<ReadonlySet<string>>(new Set());
  const add = useMutation({
    mutationFn: () =>
      body(
        consoleApi.POST("/console/api/members", {
          body: { name: name.trim(), role, projects: all ? null : [...some] },
        }),
      ),
    onSuccess: () => {
      setName("");
      void client.invalidateQueries({ queryKey: ["members"] });
    },
  });
  const toggle = (project: string) => {
    const next = new Set(some);
    if (!next.delete(project)) next.add(project);
    setSome(next);
  };
  const texts = t.settings.invite;
  return (
    <Block title={texts.title} about={texts.about}>
      {add.data === undefined ? null : (
        <Secret label={texts.link(shown(add.data.member.name))} text={linkUrl(add.data.link)}>
          {texts.sendLink(shown(add.data.member.name))}
        </Secret>
      )}
      <form
        className="card flex flex-col gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Field label={texts.name} hint={texts.nameHint}>
          {(names) => (
            <input
              {...names}
              className="field max-w-72"
              required
              maxLength={100}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <RadioGroup legend={texts.role} value={role} options={ROLES} onChange={setRole} />
        <RadioGroup
          legend={texts.projects}
          value={all ? "all" : "some"}
          options={[
            { value: "all", label: texts.all, hint: texts.allHint },
            { value: "some", label: texts.some, hint: "" },
          ]}
          onChange={(which) => setAll(which === "all")}
        />
        {all ? null : (
          <fieldset className="flex flex-wrap gap-x-4 gap-y-1 ps-6">
            <legend className="sr-only">{texts.which}</legend>
            {session.projects.map((project) => (
              <label
                key={project.project_id}
                className="flex min-w-0 items-center gap-2 break-all max-md:py-2"
              >
                <input
                  type="checkbox"
                  className="h-4 w-4 accent-accent"
                  checked={some.has(project.project_id)}
                  onChange={() => toggle(project.project_id)}
                />
                {shown(project.project_id)}
              </label>
            ))}
          </fieldset>
        )}
        <ErrorText error={add.error} />
        <p>
          <button
            type="submit"
            className="btn btn-primary"
            disabled={add.isPending || name.trim() === "" || (!all && some.size === 0)}
          >
            {texts.create}
          </button>
        </p>
      </form>
    </Block>
  );
}

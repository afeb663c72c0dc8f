// Adds a member: a name, a role, the projects of the role. The sign-in link is shown once.
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { body, consoleApi } from "../../api/client";
import { sessionQuery } from "../../api/queries";
import type { Role } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
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
  return (
    <Block
      title="Add a member"
      about="They sign in with a link that works once, within 24 hours. Treat it like a password."
    >
      {add.data === undefined ? null : (
        <Secret label={`Sign-in link for ${shown(add.data.member.name)}`} text={linkUrl(add.data.link)}>
          The first person who opens the link and confirms is signed in as {shown(add.data.member.name)}.
        </Secret>
      )}
      <form
        className="card flex flex-col gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Field label="Name" hint="Shown in reviews and in the list of actions. It cannot be changed.">
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
        <RadioGroup legend="Role" value={role} options={ROLES} onChange={setRole} />
        <RadioGroup
          legend="Projects"
          value={all ? "all" : "some"}
          options={[
            { value: "all", label: "All projects", hint: "including projects created later" },
            { value: "some", label: "Only these", hint: "" },
          ]}
          onChange={(which) => setAll(which === "all")}
        />
        {all ? null : (
          <fieldset className="flex flex-wrap gap-x-4 gap-y-1 ps-6">
            <legend className="sr-only">Which projects</legend>
            {session.projects.map((project) => (
              <label key={project.project_id} className="flex items-center gap-2">
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
            Add the member
          </button>
        </p>
      </form>
    </Block>
  );
}

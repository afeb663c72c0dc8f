// Lets somebody in: a name, a role, the projects they see. Their sign-in link is shown once.
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { body, own } from "../../api/client";
import { sessionQuery } from "../../api/queries";
import type { Role } from "../../api/types";
import { Once } from "../../parts/Once";
import { shown } from "../../parts/reveal";
import { addressOf } from "./link";
import { Block, Choices, Field, Problem } from "./parts";

const ROLES = [
  { value: "reviewer", label: "Reviewer", hint: "reviews runs and sees memories" },
  { value: "viewer", label: "Viewer", hint: "looks and changes nothing" },
  {
    value: "developer",
    label: "Developer",
    hint: "also stores runs and edits memories; no keys, no settings, no deletion",
  },
  { value: "admin", label: "Admin", hint: "everything; of all projects also members" },
] as const;

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
        own.POST("/console/api/members", {
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
      title="Let somebody in"
      about="They come by a link that works once, within 24 hours. Hand it over as you would a password."
    >
      {add.data === undefined ? null : (
        <Once label={`Sign-in link of ${shown(add.data.member.name)}`} text={addressOf(add.data.link)}>
          Whoever opens it and presses its button first is signed in as {shown(add.data.member.name)}.
        </Once>
      )}
      <form
        className="card flex flex-col gap-3 p-3"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate();
        }}
      >
        <Field label="Name" hint="As reviews and the list of actions will show it. It cannot be changed.">
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
        <Choices legend="Role" value={role} options={ROLES} onChange={setRole} />
        <Choices
          legend="Projects"
          value={all ? "all" : "some"}
          options={[
            { value: "all", label: "All projects", hint: "also those that will be made later" },
            { value: "some", label: "These alone", hint: "" },
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
        <Problem error={add.error} />
        <p>
          <button
            type="submit"
            className="btn btn-primary"
            disabled={add.isPending || name.trim() === "" || (!all && some.size === 0)}
          >
            Let them in
          </button>
        </p>
      </form>
    </Block>
  );
}

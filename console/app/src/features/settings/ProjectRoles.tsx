// The roles of members in the current project, and what each role may do.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { projectMembersQuery } from "../../api/settings";
import type { Role, Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { useMember } from "../../shell/permissions";
import { t } from "../../texts";
import { Block, ErrorText, Field } from "./form";
import { includesRole, ROLES } from "./roles";

const PATH = "/v1/projects/{project_id}/members/{member}";

type Change = { member: string; role: Role | null };

/** For admins of the project: who has which role, and giving and removing roles. */
export function ProjectRoles({ project }: { project: string }) {
  const texts = t.settings.roles.project;
  const client = useQueryClient();
  const { data, error } = useQuery(projectMembersQuery(project));
  const change = useMutation({
    mutationFn: ({ member, role }: Change) => {
      const params = { path: { project_id: project, member } };
      if (role === null) return body(api.DELETE(PATH, { params }));
      return body(api.PUT(PATH, { params, body: { role } }));
    },
    onSuccess: () => {
      for (const queryKey of [[project, "members"], ["members"], ["session"]]) {
        void client.invalidateQueries({ queryKey });
      }
    },
  });
  return (
    <Block title={texts.title(shown(project))} about={texts.about}>
      <ErrorText error={error ?? change.error} />
      <table className="w-full min-w-80 text-start">
        <caption className="sr-only">{texts.table}</caption>
        <thead>
          <tr className="border-b border-line text-sm text-soft">
            <th scope="col" className="py-1 text-start font-semibold">
              {texts.member}
            </th>
            <th scope="col" className="py-1 text-start font-semibold">
              {texts.effective}
            </th>
            <th scope="col" className="py-1 text-start font-semibold">
              {texts.own}
            </th>
          </tr>
        </thead>
        <tbody>
          {data?.map((member) => (
            <RoleRow
              key={member.id}
              member={member}
              busy={change.isPending}
              onChange={(role) => change.mutate({ member: member.id, role })}
            />
          ))}
        </tbody>
      </table>
      <GiveRole busy={change.isPending} onGive={(given) => change.mutate(given)} />
    </Block>
  );
}

function RoleRow(props: {
  member: Schemas["ProjectMember"];
  busy: boolean;
  onChange: (role: Role | null) => void;
}) {
  const texts = t.settings.roles.project;
  const me = useMember();
  const { member } = props;
  const who = shown(member.name);
  return (
    <tr className="border-b border-line">
      <th scope="row" className="py-1 text-start font-normal">
        {who}
        {member.disabled_at == null ? null : <span className="chip ms-2 text-fail">{texts.disabled}</span>}
      </th>
      <td className="py-1">
        <span className="chip">
          {member.role == null ? texts.noEffective : t.settings.roles.names[member.role]}
        </span>
      </td>
      <td className="py-1">
        <select
          className="field"
          aria-label={texts.roleOf(who)}
          value={member.own_role ?? ""}
          disabled={props.busy || member.id === me.id}
          onChange={(event) =>
            props.onChange(event.target.value === "" ? null : (event.target.value as Role))
          }
        >
          <option value="">{texts.noOwn}</option>
          {ROLES.map((role) => (
            <option key={role.value} value={role.value}>
              {role.label}
            </option>
          ))}
        </select>
      </td>
    </tr>
  );
}

function GiveRole(props: { busy: boolean; onGive: (given: Change) => void }) {
  const texts = t.settings.roles.project;
  const [who, setWho] = useState("");
  const [role, setRole] = useState<Role>("reviewer");
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        props.onGive({ member: who.trim(), role });
        setWho("");
      }}
    >
      <Field label={texts.add} hint={texts.addHint}>
        {(names) => (
          <input
            {...names}
            className="field max-w-72"
            required
            maxLength={100}
            autoComplete="off"
            value={who}
            onChange={(event) => setWho(event.target.value)}
          />
        )}
      </Field>
      <select
        className="field"
        aria-label={texts.own}
        value={role}
        onChange={(event) => setRole(event.target.value as Role)}
      >
        {ROLES.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
      <button type="submit" className="btn" disabled={props.busy || who.trim() === ""}>
        {texts.addSubmit}
      </button>
    </form>
  );
}

/** What each role may do. */
export function RolesTable() {
  const texts = t.settings.roles.table;
  return (
    <Block title={texts.title} about={texts.about}>
      <table className="w-full text-start max-sm:text-xs">
        <caption className="sr-only">{texts.title}</caption>
        <thead>
          <tr className="border-b border-line text-sm text-soft">
            <th scope="col" className="py-1 text-start font-semibold">
              {texts.action}
            </th>
            {ROLES.map((role) => (
              <th key={role.value} scope="col" className="py-1 text-start font-semibold">
                {role.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROLES.map((least) => (
            <tr key={least.value} className="border-b border-line">
              <th scope="row" className="py-1 text-start font-normal">
                {t.settings.roles.permissions[least.value]}
              </th>
              {ROLES.map((role) => (
                <td key={role.value} className="py-1">
                  {includesRole(role.value, least.value) ? texts.yes : texts.no}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Block>
  );
}

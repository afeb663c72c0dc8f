// One member in the settings, with actions: set the role in all projects, create a sign-in link, disable, enable.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { body, consoleApi } from "../../api/client";
import type { Role, Schemas } from "../../api/types";
import { Secret } from "../../parts/Secret";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { useMember } from "../../shell/permissions";
import { t } from "../../texts";
import { ConfirmSheet } from "./ConfirmSheet";
import { linkUrl } from "./sign-in-link";
import { ErrorText } from "./form";
import { ROLES, rolesText } from "./roles";

export function MemberRow({ member }: { member: Schemas["Member"] }) {
  const texts = t.settings.members;
  const me = useMember();
  const client = useQueryClient();
  const [isConfirming, setIsConfirming] = useState(false);
  const params = { path: { member_id: member.id } };
  const reloadMembers = () => void client.invalidateQueries({ queryKey: ["members"] });
  const link = useMutation({
    mutationFn: () => body(consoleApi.POST("/console/api/members/{member_id}/link", { params, body: {} })),
  });
  const disable = useMutation({
    mutationFn: () => body(consoleApi.POST("/console/api/members/{member_id}/disable", { params, body: {} })),
    onSuccess: () => {
      setIsConfirming(false);
      reloadMembers();
    },
  });
  const enable = useMutation({
    mutationFn: () => body(consoleApi.POST("/console/api/members/{member_id}/enable", { params, body: {} })),
    onSuccess: reloadMembers,
  });
  const role = useMutation({
    mutationFn: (next: Role | null) =>
      body(consoleApi.PUT("/console/api/members/{member_id}/role", { params, body: { role: next } })),
    onSuccess: () => void client.invalidateQueries(),
  });
  const name = shown(member.name);
  const isDisabled = member.disabled_at != null;
  return (
    <li className="flex flex-col gap-2 border-b border-line py-2">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="font-semibold">{name}</span>
            {isDisabled ? <span className="chip text-fail">{texts.disabled}</span> : null}
            {member.id === me.id ? <span className="text-sm text-soft">{texts.you}</span> : null}
          </p>
          <p className="text-sm text-soft">
            {texts.history(
              shown(rolesText(member.role ?? null, member.projects)),
              shown(member.created_by),
              <Time at={member.created_at} />,
              member.last_seen_at == null ? null : <Time at={member.last_seen_at} />,
            )}
          </p>
        </div>
        {member.id === me.id ? null : (
          <select
            className="field"
            aria-label={texts.roleOf(name)}
            value={member.role ?? ""}
            disabled={role.isPending}
            onChange={(event) => role.mutate(event.target.value === "" ? null : (event.target.value as Role))}
          >
            <option value="">{texts.someProjects}</option>
            {ROLES.map((one) => (
              <option key={one.value} value={one.value}>
                {t.settings.roles.inAll(one.label)}
              </option>
            ))}
          </select>
        )}
        {isDisabled ? (
          <button
            type="button"
            className="btn btn-small"
            aria-label={texts.enableNamed(name)}
            disabled={enable.isPending}
            onClick={() => enable.mutate()}
          >
            {texts.enable}
          </button>
        ) : (
          <>
            <button
              type="button"
              className="btn btn-small"
              aria-label={texts.newLinkFor(name)}
              disabled={link.isPending}
              onClick={() => link.mutate()}
            >
              {texts.newLink}
            </button>
            {member.id === me.id ? null : (
              <button
                type="button"
                className="btn btn-small"
                aria-label={texts.disableNamed(name)}
                onClick={() => setIsConfirming(true)}
              >
                {texts.disable}
              </button>
            )}
          </>
        )}
      </div>
      {link.data === undefined ? null : (
        <Secret label={t.settings.invite.link(name)} text={linkUrl(link.data)}>
          {texts.linkAbout}
        </Secret>
      )}
      <ErrorText error={link.error ?? enable.error ?? role.error} />
      {isConfirming ? (
        <ConfirmSheet
          title={texts.confirmDisable(name)}
          action={texts.disable}
          busy={disable.isPending}
          error={disable.error}
          onDo={() => disable.mutate()}
          onClose={() => setIsConfirming(false)}
        >
          <p>{texts.disableAbout}</p>
        </ConfirmSheet>
      ) : null}
    </li>
  );
}

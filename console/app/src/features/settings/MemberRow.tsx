// One member: another link, shut out, let in again.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { body, own } from "../../api/client";
import type { Schemas } from "../../api/types";
import { Once } from "../../parts/Once";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { useMember } from "../../shell/may";
import { Ask } from "./Ask";
import { addressOf } from "./link";
import { Problem } from "./parts";

export function MemberRow({ member }: { member: Schemas["Member"] }) {
  const me = useMember();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const params = { path: { member_id: member.id } };
  const again = () => void client.invalidateQueries({ queryKey: ["members"] });
  const link = useMutation({
    mutationFn: () => body(own.POST("/console/api/members/{member_id}/link", { params, body: {} })),
  });
  const disable = useMutation({
    mutationFn: () => body(own.POST("/console/api/members/{member_id}/disable", { params, body: {} })),
    onSuccess: () => {
      setAsking(false);
      again();
    },
  });
  const enable = useMutation({
    mutationFn: () => body(own.POST("/console/api/members/{member_id}/enable", { params, body: {} })),
    onSuccess: again,
  });
  const name = shown(member.name);
  const out = member.disabled_at != null;
  return (
    <li className="flex flex-col gap-2 border-b border-line py-2">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2">
            <span className="font-semibold">{name}</span>
            <span className="chip">{member.role}</span>
            {out ? <span className="chip text-fail">shut out</span> : null}
            {member.id === me.id ? <span className="text-sm text-soft">you</span> : null}
          </p>
          <p className="text-sm text-soft">
            {member.projects == null ? "all projects" : member.projects.map(shown).join(", ")} · let in by{" "}
            {shown(member.created_by)} <Time at={member.created_at} /> ·{" "}
            {member.last_seen_at == null ? (
              "never there"
            ) : (
              <>
                last there <Time at={member.last_seen_at} />
              </>
            )}
          </p>
        </div>
        {out ? (
          <button
            type="button"
            className="btn btn-small"
            aria-label={`Let in again: ${name}`}
            disabled={enable.isPending}
            onClick={() => enable.mutate()}
          >
            Let in again
          </button>
        ) : (
          <>
            <button
              type="button"
              className="btn btn-small"
              aria-label={`New link for ${name}`}
              disabled={link.isPending}
              onClick={() => link.mutate()}
            >
              New link
            </button>
            {member.id === me.id ? null : (
              <button
                type="button"
                className="btn btn-small"
                aria-label={`Shut out ${name}`}
                onClick={() => setAsking(true)}
              >
                Shut out
              </button>
            )}
          </>
        )}
      </div>
      {link.data === undefined ? null : (
        <Once label={`Sign-in link of ${name}`} text={addressOf(link.data)}>
          Earlier links that were not used have ended.
        </Once>
      )}
      <Problem error={link.error ?? enable.error} />
      {asking ? (
        <Ask
          title={`Shut ${name} out?`}
          action="Shut out"
          busy={disable.isPending}
          error={disable.error}
          onDo={() => disable.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            Their browsers are signed out at once and their links end. Their reviews stay and go on counting.
          </p>
        </Ask>
      ) : null}
    </li>
  );
}

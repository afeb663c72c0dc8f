// The signed-in browsers of this member.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { body, consoleApi } from "../../api/client";
import { sessionsQuery } from "../../api/settings";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { Block, ErrorText } from "./form";

export function Sessions() {
  const texts = t.settings.members.sessions;
  const client = useQueryClient();
  const { data, error } = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (session: string) =>
      body(
        consoleApi.POST("/console/api/sessions/{session_id}/revoke", {
          params: { path: { session_id: session } },
          body: {},
        }),
      ),
    onSettled: () => client.invalidateQueries({ queryKey: ["sessions"] }),
  });
  return (
    <Block title={texts.title} about={texts.about}>
      <ErrorText error={error ?? end.error} />
      <ul>
        {data?.map((session) => (
          <li key={session.id} className="flex items-start gap-3 border-b border-line py-1.5">
            <p className="min-w-0 flex-1">
              <span className="break-words">{shown(session.user_agent ?? texts.unknownBrowser)}</span>
              <span className="block text-sm text-soft">
                {texts.times(
                  <Time at={session.created_at} />,
                  <Time at={session.last_seen_at} />,
                  <Time at={session.expires_at} />,
                )}
              </span>
            </p>
            {session.current ? (
              <span className="chip">{texts.current}</span>
            ) : (
              <button
                type="button"
                className="btn btn-small"
                disabled={end.isPending}
                onClick={() => end.mutate(session.id)}
              >
                {texts.signOut}
              </button>
            )}
          </li>
        ))}
      </ul>
    </Block>
  );
}

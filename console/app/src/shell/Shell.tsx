// The layout around every page of a project.
import { useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { consoleApi, goToSignIn, goToSignOut } from "../api/client";
import { ApiError } from "../api/errors";
import { questionsQuery } from "../api/lessons";
import { queueQuery, sessionQuery } from "../api/queries";
import { waitingRuns } from "../api/reviews";
import { KeyProvider } from "../keys/KeyProvider";
import { setKeyPreferences, useKeyPreferences } from "../keys/preferences";
import { PAGES } from "../pages";
import { atLeast } from "../parts/time";
import { chooseLanguage, t } from "../texts";
import { globalKeys, languageAction, otherLanguages } from "./actions";
import { preload } from "./preload";
import { ANNOUNCER_ID } from "../parts/announce";
import { NoProject } from "./ErrorPage";
import { useConnected, useLiveUpdates } from "./live-updates";
import { Rail } from "./Rail";
import { nextTheme, setTheme, useTheme } from "./theme";
import { notify, Notifications } from "../parts/notifications";

const [Palette, fetchPalette] = preload(async () => (await import("./Palette")).Palette);
const [CheatSheet, fetchCheatSheet] = preload(async () => (await import("./CheatSheet")).CheatSheet);

export function Shell() {
  const { project } = useParams({ from: "/p/$project" });
  const { data: session } = useSuspenseQuery(sessionQuery);
  const [sheet, setSheet] = useState<"palette" | "keys" | null>(null);
  const handlers = useShellActions(project, session.session.provider != null, setSheet);
  useLiveUpdates(project, useQueryClient());
  const { data: queue, error } = useQuery(queueQuery(project));
  const { data: questions } = useQuery(questionsQuery(project));
  const waiting = queue === undefined ? undefined : waitingRuns(queue);
  const unknown = error instanceof ApiError && error.status === 404;
  useEffect(() => {
    fetchPalette();
    fetchCheatSheet();
  }, []);
  return (
    <KeyProvider specs={globalKeys()} handlers={handlers}>
      <a
        href="#main"
        className="absolute left-2 top-2 z-50 -translate-y-16 rounded bg-accent px-3 py-1 text-on-accent focus:translate-y-0"
      >
        {t.shell.skipToPage}
      </a>
      <div className="flex h-full max-md:flex-col">
        <Rail
          project={project}
          session={session}
          pending={countOf(waiting?.count, waiting?.more)}
          questions={countOf(questions?.questions.length, questions?.more)}
        />
        <main id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-1 flex-col outline-none">
          {unknown ? <NoProject project={project} /> : <Outlet />}
          <Offline />
        </main>
      </div>
      <div id={ANNOUNCER_ID} role="status" aria-live="polite" className="sr-only" />
      <Notifications />
      {sheet === "palette" ? <Palette onClose={() => setSheet(null)} /> : null}
      {sheet === "keys" ? <CheatSheet onClose={() => setSheet(null)} /> : null}
    </KeyProvider>
  );
}

/** A count beside a page; undefined if there is nothing to do. */
const countOf = (count: number | undefined, more = false) =>
  count === undefined || count === 0 ? undefined : atLeast(count, more);

function useShellActions(
  project: string,
  fromProvider: boolean,
  setSheet: (sheet: "palette" | "keys") => void,
) {
  const navigate = useNavigate();
  const theme = useTheme();
  const { singleKeys } = useKeyPreferences();
  return useMemo(() => {
    const go = PAGES.map((page) => [
      page.action,
      () => void navigate({ to: `/p/$project${page.path}` as "/p/$project", params: { project } }),
    ]);
    const languages = otherLanguages().map((code) => [
      languageAction(code),
      () => {
        if (!chooseLanguage(code)) notify({ text: t.shell.languageNotSaved, tone: "bad" });
      },
    ]);
    return {
      ...(Object.fromEntries([...go, ...languages]) as Record<string, () => void>),
      palette: () => setSheet("palette"),
      "cheat-sheet": () => setSheet("keys"),
      theme: () => setTheme(nextTheme(theme)),
      "single-keys": () => {
        setKeyPreferences({ singleKeys: !singleKeys });
        notify({ text: singleKeys ? t.shell.singleKeys.off : t.shell.singleKeys.on });
      },
      // The sign-out page also offers the sign-out at the identity provider.
      "sign-out": () =>
        fromProvider
          ? goToSignOut()
          : void consoleApi.POST("/console/api/logout", { body: {} }).finally(goToSignIn),
    };
  }, [project, fromProvider, navigate, theme, singleKeys, setSheet]);
}

/** A hint that live updates are not connected. It is placed where it shifts nothing. */
function Offline() {
  const connected = useConnected();
  if (connected) return null;
  return (
    <p role="status" className="pointer-events-none fixed bottom-1 right-2 text-xs text-soft">
      {t.shell.polling}
    </p>
  );
}

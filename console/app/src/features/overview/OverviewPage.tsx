// The overview of the loop. A new project shows the onboarding checklist instead.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { errorMessage } from "../../api/errors";
import { overviewQuery, queueQuery } from "../../api/queries";
import { withWaitingRuns } from "../../api/reviews";
import { keysQuery } from "../../api/settings";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { usePermission } from "../../shell/permissions";
import { Empty, PageHead } from "../../shell/Page";
import { Onboarding } from "./Onboarding";
import { isOnboarding, type ClientFacts } from "./onboarding-progress";
import { Loop } from "./Loop";
import { storyQuery } from "./story-query";
import { readOnboardingState, saveOnboardingState } from "./onboarding-state";

export function OverviewPage() {
  const { project } = useParams({ from: "/p/$project" });
  // Each project has its own onboarding state.
  return <Overview key={project} project={project} />;
}

function Overview({ project }: { project: string }) {
  const { data: stored, error } = useQuery(overviewQuery(project));
  const { data: queue } = useQuery(queueQuery(project));
  const data = stored === undefined ? undefined : withWaitingRuns(stored, queue);
  const story = useQuery(storyQuery(project));
  const managesKeys = usePermission("key:manage");
  const keys = useInfiniteQuery({ ...keysQuery(project), enabled: managesKeys });
  const [state, setState] = useState(() => readOnboardingState(project));
  const seen: ClientFacts = {
    // A master key was not created for this project.
    hasKey:
      keys.data?.pages.some((page) => page.rows.some((key) => key.status === "active" && !key.is_master)) ??
      false,
    lookedAtUse: state.lookedAtUse,
  };
  const updateState = (change: Partial<typeof state>) =>
    setState(saveOnboardingState(project, { ...state, ...change }));
  const dismiss = () => updateState({ dismissed: true });
  if (error !== null) {
    return (
      <>
        <PageHead title={t.shell.pages.overview} />
        <Empty title={t.overview.notLoaded}>
          <p className="text-fail">{errorMessage(error)}</p>
        </Empty>
      </>
    );
  }
  // The story is at the top: shown later, it would move the page. If it cannot be read, the example is shown.
  const ready =
    data !== undefined &&
    !story.isPending &&
    (!managesKeys || keys.data !== undefined || keys.error !== null);
  const isOnboardingShown = ready && !state.dismissed && isOnboarding(data, seen);
  return (
    <>
      <PageHead
        title={t.shell.pages.overview}
        about={
          !ready ? (
            ""
          ) : (
            <OnlyWide>
              {isOnboardingShown ? t.overview.onboarding.about : t.overview.updated(<Time at={data.as_of} />)}
            </OnlyWide>
          )
        }
      >
        {isOnboardingShown ? (
          <button type="button" className="btn btn-small btn-plain" onClick={dismiss}>
            {t.overview.onboarding.dismiss}
          </button>
        ) : null}
      </PageHead>
      {!ready ? null : isOnboardingShown ? (
        <Onboarding
          project={project}
          data={data}
          seen={seen}
          onLookedAtUse={() => updateState({ lookedAtUse: true })}
          onDismiss={dismiss}
        />
      ) : (
        <Loop project={project} data={data} story={story.data ?? null} />
      )}
    </>
  );
}

/**
 * This text loads after the first paint. It must not wrap to a second line, because that would shift the
 * layout.
 */
function OnlyWide(props: { children: ReactNode }) {
  return <span className="max-sm:hidden">{props.children}</span>;
}

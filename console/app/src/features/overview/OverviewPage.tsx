// The overview of the loop. A new project shows the onboarding checklist instead.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { errorMessage } from "../../api/errors";
import { overviewQuery } from "../../api/queries";
import { keysQuery } from "../../api/settings";
import { Time } from "../../parts/time";
import { usePermission } from "../../shell/permissions";
import { Empty, PageHead } from "../../shell/Page";
import { Onboarding } from "./Onboarding";
import { isOnboarding, type ClientFacts } from "./onboarding-progress";
import { Loop } from "./Loop";
import { readOnboardingState, saveOnboardingState } from "./onboarding-state";

export function OverviewPage() {
  const { project } = useParams({ from: "/p/$project" });
  // Each project has its own onboarding state.
  return <Overview key={project} project={project} />;
}

function Overview({ project }: { project: string }) {
  const { data, error } = useQuery(overviewQuery(project));
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
        <PageHead title="Overview" />
        <Empty title="The overview could not be loaded">
          <p className="text-fail">{errorMessage(error)}</p>
        </Empty>
      </>
    );
  }
  const ready = data !== undefined && (!managesKeys || keys.data !== undefined || keys.error !== null);
  const isOnboardingShown = ready && !state.dismissed && isOnboarding(data, seen);
  return (
    <>
      <PageHead
        title="Overview"
        about={!ready ? "" : isOnboardingShown ? <OnlyWide>first memory</OnlyWide> : <AsOf at={data.as_of} />}
      >
        {isOnboardingShown ? (
          <button type="button" className="btn btn-small btn-plain" onClick={dismiss}>
            Dismiss this checklist
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
        <Loop project={project} data={data} />
      )}
    </>
  );
}

function AsOf(props: { at: string }) {
  return (
    <>
      the last 7 days
      <OnlyWide>
        , as of <Time at={props.at} />
      </OnlyWide>
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

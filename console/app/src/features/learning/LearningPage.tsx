// Is the agent improving, and because of memories? Every number states its sample size.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { errorMessage } from "../../api/errors";
import { overviewQuery } from "../../api/queries";
import { judgeQuery, upliftQuery } from "../../api/settings";
import { DayBars } from "../../parts/charts/DayBars";
import { RateChart } from "../../parts/charts/RateChart";
import { bins, MIN_REVIEWS, sum } from "../../parts/charts/rates";
import { Scroll } from "../../parts/Scroll";
import { Empty, PageHead } from "../../shell/Page";
import { Judge } from "./Judge";
import { Memories } from "./Memories";
import { TooFewReviews } from "./TooFewReviews";
import { UpliftCard } from "./UpliftCard";
import { MemoryUse } from "./MemoryUse";

export function LearningPage() {
  const { project } = useParams({ from: "/p/$project/learning" });
  const overview = useQuery(overviewQuery(project));
  const uplift = useQuery(upliftQuery(project));
  const judge = useQuery(judgeQuery(project));
  const error = overview.error ?? uplift.error ?? judge.error;
  if (error !== null) {
    return (
      <>
        <PageHead title="Learning" />
        <Empty title="The numbers could not be loaded">
          <p className="text-fail">{errorMessage(error)}</p>
        </Empty>
      </>
    );
  }
  if (overview.data === undefined || uplift.data === undefined || judge.data === undefined) {
    return <PageHead title="Learning" />;
  }
  const days = overview.data.success_by_day;
  const n = sum(days);
  const about = `${n.toLocaleString()} verdicts in the last 30 days`;
  if (n < MIN_REVIEWS) {
    return (
      <>
        <PageHead title="Learning" about={about} />
        <TooFewReviews project={project} reviewed={n} pending={overview.data.reviews.pending} />
      </>
    );
  }
  return (
    <>
      <PageHead title="Learning" about={about} />
      <Scroll label="Learning" className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="grid grid-cols-2 gap-x-8 gap-y-6 max-lg:grid-cols-1">
          <Question title="Do memories help?">
            <UpliftCard project={project} uplift={uplift.data} />
          </Question>
          <Question title="Is the agent getting better?">
            <RateChart bins={bins(days)} />
            <p className="text-sm text-soft">
              Grouped by the day of the verdict. Consecutive days are merged until a group has {MIN_REVIEWS}{" "}
              verdicts. Of the runs of the last 7 days, {overview.data.reviews.reviewed.toLocaleString()} of n
              = {overview.data.reviews.runs.toLocaleString()} are reviewed. Unreviewed runs may have had other
              results.
            </p>
          </Question>
          <Question title="How much is reviewed?">
            <DayBars days={days} />
          </Question>
          <Question title="Do runs have memories?">
            <MemoryUse used={overview.data.memories_used} />
          </Question>
          <Memories project={project} />
          <Question title="Can the judge be trusted?">
            <Judge status={judge.data} />
            <p>
              <Link className="link" to="/p/$project/settings/judge" params={{ project }}>
                Judge settings
              </Link>
            </p>
          </Question>
        </div>
      </Scroll>
    </>
  );
}

function Question(props: { title: string; children: ReactNode }) {
  const id = props.title.replaceAll(/\W+/g, "-").toLowerCase();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <h2 id={id} className="text-base font-semibold text-ink">
        {props.title}
      </h2>
      {props.children}
    </section>
  );
}

// Is the agent improving, and because of its lessons? Every number states its sample size.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { errorMessage } from "../../api/errors";
import { overviewQuery } from "../../api/queries";
import { judgeQuery, upliftQuery } from "../../api/settings";
import { DayBars } from "../../parts/charts/DayBars";
import { PassRate } from "../../parts/charts/PassRate";
import { MIN_REVIEWS, sum } from "../../parts/charts/rates";
import { Scroll } from "../../parts/Scroll";
import { t } from "../../texts";
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
        <PageHead title={t.shell.pages.learning} />
        <Empty title={t.learning.notLoaded}>
          <p className="text-fail">{errorMessage(error)}</p>
        </Empty>
      </>
    );
  }
  if (overview.data === undefined || uplift.data === undefined || judge.data === undefined) {
    return <PageHead title={t.shell.pages.learning} />;
  }
  const days = overview.data.success_by_day;
  const n = sum(days);
  const about = t.learning.sample(n);
  if (n < MIN_REVIEWS) {
    return (
      <>
        <PageHead title={t.shell.pages.learning} about={about} />
        <TooFewReviews project={project} reviewed={n} pending={overview.data.reviews.pending} />
      </>
    );
  }
  const { questions } = t.learning;
  const { reviewed, runs } = overview.data.reviews;
  return (
    <>
      <PageHead title={t.shell.pages.learning} about={about} />
      <Scroll label={t.shell.pages.learning} className="min-h-0 flex-1 overflow-y-auto p-4">
        <div className="grid grid-cols-2 gap-x-8 gap-y-8 max-lg:grid-cols-1">
          <Question title={questions.help}>
            <UpliftCard project={project} uplift={uplift.data} />
          </Question>
          <Question title={questions.better}>
            <PassRate days={days} />
            <p className="text-sm text-soft">{t.learning.aboutRate(MIN_REVIEWS, reviewed, runs)}</p>
          </Question>
          <Question title={questions.reviewed}>
            <DayBars days={days} />
          </Question>
          <Question title={questions.receive}>
            <MemoryUse used={overview.data.memories_used} />
          </Question>
          <Memories project={project} />
          <Question title={questions.judge}>
            <Judge status={judge.data} />
            <p>
              <Link className="link" to="/p/$project/settings/judge" params={{ project }}>
                {t.learning.openJudge}
              </Link>
            </p>
          </Question>
        </div>
      </Scroll>
    </>
  );
}

function Question(props: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <h2 id={id} className="section-title">
        {props.title}
      </h2>
      {props.children}
    </section>
  );
}

//! The judge: a model that reviews runs in the background which nobody has reviewed.
//!
//! Its word counts for as much as it proved to know on runs that people looked at without seeing it, and for nothing
//! once that is too little. No transaction is open while it is asked; what it said is kept the moment it arrives, and
//! becomes a review by the ordinary path after that. So a process may be stopped anywhere: a job that comes again finds
//! the judgement there and pays for nothing.

mod agreement;
mod ask;
mod lot;
mod preview;
mod seek;
mod settings;
mod status;
mod stumble;

use std::time::Duration;

use reflect_store::{
    Actor, BY_JUDGE, Cost, JudgeIdentity, JudgeJob, JudgementRow, NewJudgement, NewReview, ProjectCtx,
    StoreError, TraceRow,
};
use reflect_types::{ProjectId, ReviewId, ReviewMode, ReviewResult, TraceId, Trust};

use crate::learn::Obstacle;
use crate::{Engine, manage_project};
pub use agreement::Agreement;
pub use ask::Opinion;
use ask::{JudgedRun, NoAnswer};
pub use preview::{GivenRun, JudgeTry, TriedRun};
pub use settings::{JudgeChange, JudgeSettings};
pub(crate) use status::MEND;
pub use status::{JudgeState, JudgeStatus};
use stumble::{Next, after};

/// After an empty purse, so that not all come back at the same moment.
const MINUTE: Duration = Duration::from_secs(60);

/// The tokens of the day are used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spent {
    /// How many there were.
    tokens: u64,
    /// Whether they were the judge's own, or the project's.
    own: bool,
    /// How long the day still lasts.
    rest: Duration,
}

/// A judge at work: how it is set and who it is.
struct Judge {
    settings: JudgeSettings,
    identity: JudgeIdentity,
}

impl Engine {
    /// Judges a run, unless somebody reviewed it meanwhile. An error means that the store could not be reached, and that
    /// the job has to come again.
    pub(crate) async fn give_judgement(&self, job: JudgeJob) -> Result<(), StoreError> {
        let project = self.store.project(job.project());
        let Some(judge) = self.judge_of(job.project()).await? else { return Ok(()) };
        let run = match project.trace(job.trace_id).await {
            Ok(run) if run.review.is_none() => run,
            Ok(_) | Err(StoreError::NotFound { .. }) => return Ok(()),
            Err(StoreError::Corrupt { .. }) => {
                let reason = "the run cannot be read";
                return self.leave_to_people(&project, &judge, job.trace_id, true, reason).await;
            }
            Err(error) => return Err(error),
        };
        let agreement = Agreement::of(project.judge_pairs(&judge.identity).await?);
        if let Some(kept) = project.judgement(job.trace_id).await? {
            return self.apply(&project, &judge, &kept, &agreement).await;
        }
        let lot = lot::draw(job.trace_id, &judge.settings);
        // A judge that was stopped goes on where nothing comes of it, so that it can earn its way back.
        if agreement.stopped && !lot.blind {
            return Ok(());
        }
        if let Some(spent) = self.judge_spent(&project, job.project(), &judge.settings).await? {
            let delay = spent.rest + MINUTE.mul_f64(rand::random());
            return project.queue_for_judge(&[job.trace_id], job.failures, delay).await;
        }
        self.look_at(&project, &judge, job, &run, lot.blind, &agreement).await
    }

    /// The project's judge, when it is switched on and there is a model to ask.
    async fn judge_of(&self, project: ProjectId) -> Result<Option<Judge>, StoreError> {
        let facts = match self.facts(project).await {
            Ok(facts) => facts,
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let settings = manage_project::read(&facts.settings).judge;
        let model = self.models.judge().filter(|_| settings.enabled);
        Ok(model.map(|(model, _)| Judge { identity: settings.identity(model.name()), settings }))
    }

    /// Which judge reviews runs of a project; none when nobody does.
    pub(crate) async fn judge_at_work(
        &self,
        project: ProjectId,
    ) -> Result<Option<JudgeIdentity>, StoreError> {
        Ok(self.judge_of(project).await?.map(|judge| judge.identity))
    }

    async fn look_at(
        &self,
        project: &ProjectCtx,
        judge: &Judge,
        job: JudgeJob,
        run: &TraceRow,
        blind: bool,
        agreement: &Agreement,
    ) -> Result<(), StoreError> {
        let shown = JudgedRun {
            task: &run.task,
            trajectory: &run.trajectory,
            final_response: run.final_response.as_deref(),
            reference_context: run.reference_context.as_deref(),
        };
        let opinion = match self.opinion(shown, &judge.settings.rubric).await {
            Ok(opinion) => opinion,
            Err(failed) => return self.no_answer(project, judge, job, blind, failed).await,
        };
        let judgement = NewJudgement {
            trace: job.trace_id,
            result: opinion.result,
            feedback: opinion.feedback,
            confidence: opinion.confidence,
            by: &judge.identity,
            blind,
        };
        let verdict = opinion.result.map_or("unclear", ReviewResult::as_str);
        if project.keep_judgement(&judgement, opinion.cost).await? {
            metrics::counter!("reflect_judgements_total", "verdict" => verdict).increment(1);
        }
        // As it is kept: somebody who was taken for dead may have been faster.
        match project.judgement(job.trace_id).await? {
            Some(kept) => self.apply(project, judge, &kept, agreement).await,
            None => Ok(()),
        }
    }

    /// A verdict that is neither blind nor unclear becomes the run's review, if the run has none.
    async fn apply(
        &self,
        project: &ProjectCtx,
        judge: &Judge,
        kept: &JudgementRow,
        agreement: &Agreement,
    ) -> Result<(), StoreError> {
        let Some(result) = kept.result.filter(|_| !kept.blind && kept.applied_review.is_none()) else {
            return Ok(());
        };
        let same = kept.model == judge.identity.model
            && kept.rubric_digest.as_slice() == judge.identity.rubric_digest.as_slice();
        if agreement.stopped || !same {
            return Ok(());
        }
        let reviewer = format!("{BY_JUDGE}{}", kept.model);
        let review = NewReview {
            review_id: ReviewId::generate(),
            result,
            feedback: kept.feedback.clone(),
            alpha: agreement.alpha(),
            mode: ReviewMode::Deferred,
            reviewer: reviewer.clone(),
            authored: None,
            grace: Duration::ZERO,
            action: None,
            trust: Trust::Normal,
            bounds: None,
        };
        let actor = Actor { name: reviewer, request_id: None };
        match project.apply_judgement(kept.trace_id, &review, &actor).await {
            Ok(applied) => {
                tracing::info!(trace.id = %kept.trace_id, applied, "judged trace {}: {}", kept.trace_id, result.as_str());
                Ok(())
            }
            // The run is gone, or somebody reviewed it at the same moment: people go first.
            Err(StoreError::NotFound { .. } | StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn no_answer(
        &self,
        project: &ProjectCtx,
        judge: &Judge,
        job: JudgeJob,
        blind: bool,
        failed: NoAnswer,
    ) -> Result<(), StoreError> {
        let NoAnswer { error, cost } = failed;
        if cost.input_tokens + cost.output_tokens > 0 {
            project.spend_on_judge(cost).await?;
        }
        let failures = job.failures.saturating_add(1);
        match after(error.remedy, failures, rand::random()) {
            Next::Wait(delay) => {
                tracing::warn!(trace.id = %job.trace_id, failures, %error, "judging waits: {error}");
                project.queue_for_judge(&[job.trace_id], failures, delay).await
            }
            Next::GiveUp => {
                let reason = format!("{error} (tried {failures} times)");
                self.leave_to_people(project, judge, job.trace_id, blind, &reason).await
            }
        }
    }

    /// Keeps that the judge has nothing to say of a run, so that it is not asked for ever.
    async fn leave_to_people(
        &self,
        project: &ProjectCtx,
        judge: &Judge,
        trace: TraceId,
        blind: bool,
        reason: &str,
    ) -> Result<(), StoreError> {
        tracing::warn!(trace.id = %trace, reason, "the judge leaves trace {trace} to people: {reason}");
        let feedback = Some(format!("could not be judged: {}", reason.replace('\0', "")));
        let by = &judge.identity;
        let judgement = NewJudgement { trace, result: None, feedback, confidence: None, by, blind };
        project.keep_judgement(&judgement, Cost::default()).await?;
        Ok(())
    }

    /// Whether the judge has used up what it may cost today: its own tokens, or the project's.
    pub(crate) async fn judge_spent(
        &self,
        project: &ProjectCtx,
        id: ProjectId,
        settings: &JudgeSettings,
    ) -> Result<Option<Spent>, StoreError> {
        match self.check_budget(project, id).await {
            Ok(()) => {}
            Err(Obstacle::Budget { tokens, rest }) => return Ok(Some(Spent { tokens, own: false, rest })),
            Err(Obstacle::Store(error)) => return Err(error),
            Err(_) => return Ok(None),
        }
        let Some(tokens) = settings.daily_tokens else { return Ok(None) };
        let (spent, rest) = project.judge_spent_today().await?;
        Ok((u64::try_from(spent).unwrap_or(0) >= tokens).then_some(Spent { tokens, own: true, rest }))
    }
}

impl Spent {
    /// In words.
    pub(crate) fn said(&self) -> String {
        let whose = if self.own { "The judge's" } else { "The project's" };
        format!("{whose} budget of {} tokens for today is used up; it goes on at 00:00 UTC.", self.tokens)
    }
}

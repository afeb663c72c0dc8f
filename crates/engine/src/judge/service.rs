//! Judging one run.

use std::time::Duration;

use reflect_store::{
    AuditActor, JudgeJob, JudgementRow, ModelCost, NewJudgement, NewReview, ProjectCtx, Store, StoreError,
    TraceRow,
};
use reflect_types::{ReviewId, ReviewMode, ReviewResult, ReviewerKind, TraceId, Trust};
use tracing::Span;
use tracing::field::Empty;

use super::ask::{JudgeAsker, JudgedRun, NoAnswer, Opinion};
use super::budget::JudgeBudget;
use super::retry::{Next, after};
use super::sample;
use crate::agreement::Agreement;
use crate::budget::TokenBudget;
use crate::client_text::Redaction;
use crate::judge_profile::{JudgeProfile, JudgeProfiles};
use crate::learning_settings::LearningSettings;
use crate::models::TextModels;
use crate::operations::{operation, traced};

/// Jitter after an exhausted budget.
const MINUTE: Duration = Duration::from_secs(60);

/// Reviews runs with a model.
#[derive(Debug, Clone)]
pub struct Judge {
    pub(super) store: Store,
    profiles: JudgeProfiles,
    pub(super) models: TextModels,
    pub(super) asker: JudgeAsker,
    pub(super) budget: JudgeBudget,
    pub(super) redaction: Redaction,
}

impl Judge {
    pub(crate) fn new(
        store: Store,
        profiles: JudgeProfiles,
        models: TextModels,
        budget: TokenBudget,
        redaction: Redaction,
        settings: LearningSettings,
    ) -> Self {
        let asker = JudgeAsker::new(models.clone(), settings);
        Self { store, profiles, models, asker, budget: JudgeBudget::new(budget), redaction }
    }

    /// Judges a run that has no review yet. An error means that the store could not be reached and that the job has to
    /// run again.
    pub(crate) async fn judge_run(&self, job: JudgeJob) -> Result<(), StoreError> {
        let project = self.store.project(job.project());
        let Some(judge) = self.profiles.active(job.project()).await? else { return Ok(()) };
        let run = match project.traces().get(job.trace_id).await {
            Ok(run) if run.review.is_none() => run,
            Ok(_) | Err(StoreError::NotFound { .. }) => return Ok(()),
            Err(StoreError::Corrupt { .. }) => {
                let reason = "the run cannot be read";
                return self.skip(&project, &judge, job.trace_id, true, reason).await;
            }
            Err(error) => return Err(error),
        };
        let agreement = Agreement::of(project.judgements().pairs(&judge.identity).await?);
        if let Some(kept) = project.judgements().get(job.trace_id).await? {
            return self.apply(&project, &judge, &kept, &agreement).await;
        }
        let drawn = sample::draw(job.trace_id, &judge.settings);
        // A stopped judge still judges blind runs, to show whether it improves.
        if agreement.stopped && !drawn.blind {
            return Ok(());
        }
        if let Some(spent) = self.budget.spent(&project, job.project(), &judge.settings).await? {
            let delay = spent.rest + MINUTE.mul_f64(rand::random());
            return project.judgements().enqueue(&[job.trace_id], job.failures, delay).await;
        }
        self.judge_once(&project, &judge, job, &run, drawn.blind, &agreement).await
    }

    async fn judge_once(
        &self,
        project: &ProjectCtx,
        judge: &JudgeProfile,
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
        let span = operation!("judge", reflect.trace_id = %job.trace_id, reflect.tokens = Empty);
        let note = |span: &Span, opinion: &Opinion| {
            span.record("reflect.tokens", opinion.cost.input_tokens + opinion.cost.output_tokens);
        };
        let asked = traced(span, Box::pin(self.asker.opinion(shown, &judge.settings.rubric)), note).await;
        let opinion = match asked {
            Ok(opinion) => opinion,
            Err(failed) => return self.handle_failure(project, judge, job, blind, failed).await,
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
        if project.judgements().record(&judgement, opinion.cost).await? {
            metrics::counter!("reflect_judgements_total", "verdict" => verdict).increment(1);
        }
        // Read the stored judgement: another worker may have been faster.
        match project.judgements().get(job.trace_id).await? {
            Some(kept) => self.apply(project, judge, &kept, agreement).await,
            None => Ok(()),
        }
    }

    /// A clear verdict that is not blind becomes the run's review, if the run has none.
    async fn apply(
        &self,
        project: &ProjectCtx,
        judge: &JudgeProfile,
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
        let reviewer = format!("{}{}", ReviewerKind::JUDGE, kept.model);
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
            reviewed_at: None,
        };
        let actor = AuditActor::local(reviewer);
        match project.judgements().apply(kept.trace_id, &review, &actor).await {
            Ok(applied) => {
                tracing::info!(trace.id = %kept.trace_id, applied, "judged trace {}: {}", kept.trace_id, result.as_str());
                Ok(())
            }
            // The run was removed, or a person reviewed it at the same time: people have priority.
            Err(StoreError::NotFound { .. } | StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn handle_failure(
        &self,
        project: &ProjectCtx,
        judge: &JudgeProfile,
        job: JudgeJob,
        blind: bool,
        failed: NoAnswer,
    ) -> Result<(), StoreError> {
        let NoAnswer { error, cost } = failed;
        if cost.input_tokens + cost.output_tokens > 0 {
            project.judgements().spend(cost).await?;
        }
        let failures = job.failures.saturating_add(1);
        match after(error.remedy, failures, rand::random()) {
            Next::Wait(delay) => {
                tracing::warn!(trace.id = %job.trace_id, failures, %error, "judging waits: {error}");
                project.judgements().enqueue(&[job.trace_id], failures, delay).await
            }
            Next::Skip => {
                let reason = format!("{error} (tried {failures} times)");
                self.skip(project, judge, job.trace_id, blind, &reason).await
            }
        }
    }

    /// Stores that there is no verdict on a run, to stop retries.
    async fn skip(
        &self,
        project: &ProjectCtx,
        judge: &JudgeProfile,
        trace: TraceId,
        blind: bool,
        reason: &str,
    ) -> Result<(), StoreError> {
        tracing::warn!(trace.id = %trace, reason, "the judge leaves trace {trace} to people: {reason}");
        let feedback = Some(format!("could not be judged: {}", reason.replace('\0', "")));
        let by = &judge.identity;
        let judgement = NewJudgement { trace, result: None, feedback, confidence: None, by, blind };
        project.judgements().record(&judgement, ModelCost::default()).await?;
        Ok(())
    }
}

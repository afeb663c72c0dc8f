//! One review for many runs, or a preview of it.

use std::collections::BTreeSet;
use std::time::Duration;

use reflect_store::{ActionId, AuditActor, NewReview, Reach, Store, UnreviewedRun};
use reflect_types::{Alpha, MemoryId, ReviewId, ReviewMode, ReviewResult, TraceId, Trust};
use serde_json::json;

use super::estimate::lesson_tokens;
use super::request::PendingRunFilter;
use super::waiting_runs::{Matching, WaitingRuns};
use crate::caller::Visitor;
use crate::client_text::{Redaction, check_feedback, storable};
use crate::error::EngineError;
use crate::learning_settings::LearningSettings;
use crate::models::TextModels;
use crate::reviewer::{check_grace, reviewer};

/// The most runs in one request.
const MOST: u16 = 1000;
/// How many runs are reviewed in one transaction: few, to keep locks short.
const CHUNK: usize = 50;

/// A review and its runs.
#[derive(Debug, Clone)]
pub struct BulkVerdict {
    /// The runs.
    pub runs: BulkRuns,
    /// The result.
    pub result: ReviewResult,
    /// The feedback.
    pub feedback: Option<String>,
    /// The learning rate.
    pub alpha: Option<Alpha>,
    /// How long learning is delayed.
    pub grace: Duration,
    /// The name of the reviewer, if several use the same key.
    pub reviewer: Option<String>,
    /// Whether to report only, without a change.
    pub dry_run: bool,
}

/// The runs of a bulk review.
#[derive(Debug, Clone)]
pub enum BulkRuns {
    /// These runs.
    Named {
        /// How many ids were sent.
        named: usize,
        /// The valid ids.
        traces: Vec<TraceId>,
    },
    /// The newest pending runs that match a filter.
    Matching(PendingRunFilter),
}

/// The result of a bulk review or of a dry run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkReviewOutcome {
    /// The action, for undo; `None` if nothing changed.
    pub action: Option<ActionId>,
    /// The reviewed runs.
    pub traces: usize,
    /// The skipped runs: they have a review or do not exist.
    pub skipped: usize,
    /// The runs that match the filter beyond the limit of one request.
    pub left: usize,
    /// The memories whose utility changes.
    pub utilities: usize,
    /// The most lessons that a model has to write.
    pub reflections: usize,
    /// The estimated cost in tokens.
    pub tokens: u64,
}

/// The selected runs.
struct Chosen {
    traces: Vec<TraceId>,
    /// How many ids were sent, including invalid and repeated ones.
    named: usize,
    left: usize,
}

/// Gives many runs the same review.
#[derive(Debug, Clone)]
pub struct BulkReviews {
    store: Store,
    waiting: WaitingRuns,
    redaction: Redaction,
    models: TextModels,
    settings: LearningSettings,
}

impl BulkReviews {
    pub(crate) const fn new(
        store: Store,
        waiting: WaitingRuns,
        redaction: Redaction,
        models: TextModels,
        settings: LearningSettings,
    ) -> Self {
        Self { store, waiting, redaction, models, settings }
    }

    /// Gives many runs the same review, as one action. Runs that got a review meanwhile are skipped.
    pub async fn submit(
        &self,
        visitor: &Visitor,
        verdict: BulkVerdict,
        actor: &AuditActor,
    ) -> Result<BulkReviewOutcome, EngineError> {
        // What an untrusted key may change depends on each run.
        if visitor.trust == Trust::Untrusted {
            let message = "an untrusted key must review runs one by one".to_owned();
            return Err(EngineError::Forbidden(message));
        }
        let review = self.new_review(visitor, &verdict).await?;
        let chosen = self.choose(visitor, &review.reviewer, verdict.runs).await?;
        let project = self.store.project(visitor.project);
        let open = project.reviews().unreviewed(&chosen.traces).await?;
        if verdict.dry_run {
            return self.outcome(visitor, &review, &chosen, &open, None).await;
        }
        let summary = json!({ "result": review.result.as_str(), "traces": open.len() });
        let mut action = None;
        let mut judged = BTreeSet::new();
        let wanted: Vec<TraceId> = open.iter().map(|run| run.trace_id).collect();
        for chunk in wanted.chunks(CHUNK) {
            let done = project.reviews().create_many(chunk, &review, action, &summary, actor).await?;
            action = done.action;
            judged.extend(done.judged);
        }
        let judged: Vec<UnreviewedRun> =
            open.into_iter().filter(|run| judged.contains(&run.trace_id)).collect();
        self.outcome(visitor, &review, &chosen, &judged, action).await
    }

    async fn choose(&self, visitor: &Visitor, holder: &str, runs: BulkRuns) -> Result<Chosen, EngineError> {
        match runs {
            BulkRuns::Named { named, .. } if named > usize::from(MOST) => {
                let problem = format!("has {named} entries, at most {MOST} are accepted");
                Err(EngineError::invalid("trace_ids", problem))
            }
            BulkRuns::Named { named, traces } => Ok(Chosen { traces, named, left: 0 }),
            BulkRuns::Matching(filter) => {
                let reach = Reach { newest: MOST, ..Reach::default() };
                let Matching { traces, left } =
                    self.waiting.matching(visitor, holder, &filter, reach).await?;
                Ok(Chosen { named: traces.len(), traces, left })
            }
        }
    }

    /// The review for each of the runs. Each gets an id of its own.
    async fn new_review(&self, visitor: &Visitor, verdict: &BulkVerdict) -> Result<NewReview, EngineError> {
        check_grace(verdict.grace)?;
        check_feedback(verdict.feedback.as_deref())?;
        let says_nothing = verdict.feedback.as_ref().is_none_or(|text| text.trim().is_empty());
        if verdict.result == ReviewResult::Fail && says_nothing {
            let problem = "must say what went wrong when many runs fail at once";
            return Err(EngineError::invalid("feedback_text", problem));
        }
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let feedback = redactor.optional("feedback_text", verdict.feedback.clone().map(storable))?;
        redactor.finish();
        Ok(NewReview {
            review_id: ReviewId::generate(),
            result: verdict.result,
            feedback,
            alpha: verdict.alpha,
            mode: ReviewMode::Deferred,
            reviewer: reviewer(visitor, verdict.reviewer.as_deref())?,
            authored: None,
            grace: verdict.grace,
            action: None,
            trust: visitor.trust,
            bounds: None,
            reviewed_at: None,
        })
    }

    async fn outcome(
        &self,
        visitor: &Visitor,
        review: &NewReview,
        chosen: &Chosen,
        judged: &[UnreviewedRun],
        action: Option<ActionId>,
    ) -> Result<BulkReviewOutcome, EngineError> {
        let linked: BTreeSet<MemoryId> = judged.iter().flat_map(|run| run.linked.clone()).collect();
        let linked: Vec<MemoryId> = linked.into_iter().collect();
        let moved = self.store.project(visitor.project).queue().standings(&linked).await?;
        let feedback = review.feedback.as_ref().map_or(0, String::len);
        // Without a model, lessons are composed and cost nothing.
        let writes = self.models.text().is_some();
        let cost = judged.iter().map(|run| lesson_tokens(run, feedback, &self.settings));
        Ok(BulkReviewOutcome {
            action,
            traces: judged.len(),
            skipped: chosen.named - judged.len(),
            left: chosen.left,
            utilities: moved.len(),
            reflections: if writes { judged.len() } else { 0 },
            tokens: if writes { cost.sum() } else { 0 },
        })
    }
}

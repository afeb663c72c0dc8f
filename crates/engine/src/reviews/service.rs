//! Storing, changing and withdrawing reviews of stored traces.

use std::time::Duration;

use reflect_store::{
    AuditActor, Claim, LearnInput, NewMemoryRow, NewReview, ReviewChange, Store, StoreError, TraceRow,
};
use reflect_types::{ReviewId, ReviewMode, ReviewerKind, TraceId, Trust};

use super::rule::{VerdictChange, check_may_end, verdict_change};
use super::verdict::{ReviewRequest, TraceReviewRequest};
use crate::caller::Visitor;
use crate::client_text::{Redaction, check_feedback, storable, storable_json};
use crate::completion::CompletionWaiters;
use crate::error::EngineError;
use crate::events::EventBus;
use crate::lessons::{AuthoredStatistics, MemoryBuilder};
use crate::reviewer::{check_grace, reviewer};
use crate::votes::{VoteLimits, VotedRun};

/// Retries when another caller changes the review at the same time.
const LOOKS: usize = 5;
/// The most reviews in one batch.
const MOST_REVIEWS: usize = 100;
/// Stores, changes and withdraws reviews.
#[derive(Debug, Clone)]
pub struct Reviews {
    store: Store,
    redaction: Redaction,
    votes: VoteLimits,
    memories: MemoryBuilder,
    completion: CompletionWaiters,
    events: EventBus,
}

impl Reviews {
    pub(crate) const fn new(
        store: Store,
        redaction: Redaction,
        votes: VoteLimits,
        memories: MemoryBuilder,
        completion: CompletionWaiters,
        events: EventBus,
    ) -> Self {
        Self { store, redaction, votes, memories, completion, events }
    }

    /// Stores a review, waits until it is learned from, and returns the trace. With a grace period it does not wait. A
    /// repeated call changes nothing, even if the review was withdrawn or replaced meanwhile.
    pub async fn submit(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        verdict: ReviewRequest,
        actor: &AuditActor,
        claim: Option<&Claim>,
        longest: Duration,
    ) -> Result<TraceRow, EngineError> {
        self.store_review(visitor, trace, &verdict, actor, claim).await?;
        if verdict.grace.is_zero() {
            self.completion.wait_until_complete(visitor.project, trace, longest).await?;
        }
        Ok(self.store.project(visitor.project).traces().get(trace).await?)
    }

    /// Stores many reviews. Each has its own outcome. Does not wait for learning.
    pub async fn submit_batch(
        &self,
        visitor: &Visitor,
        verdicts: Vec<TraceReviewRequest>,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<Vec<Result<TraceRow, EngineError>>, EngineError> {
        if verdicts.len() > MOST_REVIEWS {
            let problem = format!("has {} entries, at most {MOST_REVIEWS} are accepted", verdicts.len());
            return Err(EngineError::invalid("reviews", problem));
        }
        let mut answers = Vec::with_capacity(verdicts.len());
        for (number, TraceReviewRequest { trace, verdict }) in verdicts.into_iter().enumerate() {
            let claim = claim.map(|claim| claim.part(number));
            answers.push(match trace {
                Some(trace) => self.store_review(visitor, trace, &verdict, actor, claim.as_ref()).await,
                None => Err(StoreError::NotFound { what: "trace" }.into()),
            });
        }
        Ok(answers)
    }

    /// Withdraws a review: utilities move back and its memory is retired. With `only`, just that review: an undo must
    /// not remove a later review of another person.
    pub async fn withdraw(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        only: Option<ReviewId>,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<TraceRow, EngineError> {
        let project = self.store.project(visitor.project);
        for _ in 0..LOOKS {
            let current = project.traces().get(trace).await?;
            if project.reviews().is_repeat(claim).await? {
                return Ok(current);
            }
            let Some(review) = &current.review else {
                if project.reviews().confirm(trace, None, claim).await? {
                    return Ok(current);
                }
                continue;
            };
            if only.is_some_and(|only| only != review.review_id) {
                let what = "another review replaced this one, so it no longer counts";
                return Err(StoreError::Conflict { what }.into());
            }
            if visitor.trust == Trust::Untrusted {
                check_may_end(visitor.trust, project.reviews().basis(trace).await?.review_trust)?;
            }
            let change =
                ReviewChange { trace, instead_of: Some(review.review_id), review: None, lesson: None };
            if project.reviews().change(&change, actor, claim).await? {
                return Ok(project.traces().get(trace).await?);
            }
        }
        Err(busy())
    }

    /// Learns again from a trace whose learning failed.
    pub async fn retry_learning(&self, visitor: &Visitor, trace: TraceId) -> Result<TraceRow, EngineError> {
        let project = self.store.project(visitor.project);
        if !project.learning().retry(trace).await? {
            // Returns "not found" if the trace does not exist.
            project.traces().get(trace).await?;
            let what = "the trace has not failed, so there is nothing to retry";
            return Err(StoreError::Conflict { what }.into());
        }
        Ok(project.traces().get(trace).await?)
    }

    /// Stores a review, unless it exists already.
    async fn store_review(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        verdict: &ReviewRequest,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<TraceRow, EngineError> {
        if let Some(lesson) = &verdict.authored {
            lesson.check()?;
        }
        check_feedback(verdict.feedback.as_deref())?;
        check_grace(verdict.grace)?;
        let reviewer = reviewer(visitor, verdict.reviewer.as_deref())?;
        let verdict = &self.redacted(visitor, verdict.clone()).await?;
        let project = self.store.project(visitor.project);
        let mut lesson = None;
        for _ in 0..LOOKS {
            let current = project.traces().get_without_body(trace).await?;
            // After the read of the review, to notice a repeated call that was stored in between.
            if project.reviews().is_repeat(claim).await? {
                return Ok(current);
            }
            let instead_of = match verdict_change(current.review.as_ref(), verdict) {
                VerdictChange::Keep => {
                    let review = current.review.as_ref().map(|review| review.review_id);
                    if project.reviews().confirm(trace, review, claim).await? {
                        return Ok(current);
                    }
                    continue;
                }
                VerdictChange::Store { instead_of } => instead_of,
                VerdictChange::Refuse => {
                    let what = "the trace already has a different review; send `replace: true` to change it";
                    return Err(StoreError::Conflict { what }.into());
                }
            };
            let mut review = new_review(visitor, reviewer.clone(), verdict);
            // An authored lesson is embedded now, unless the review may still be withdrawn.
            let authored = lesson.is_none() && verdict.authored.is_some() && verdict.grace.is_zero();
            // Most reviews are trusted and have no lesson; these need no further query.
            if visitor.trust == Trust::Untrusted || authored {
                let standing = project.reviews().basis(trace).await?;
                if instead_of.is_some() {
                    check_may_end(visitor.trust, standing.review_trust)?;
                }
                let (linked, retrieval) = (&standing.linked, standing.retrieval);
                let run = VotedRun { task: &current.task, linked, retrieval };
                review.bounds = self.votes.bounds(&visitor.into(), run, verdict.alpha).await?;
                if authored {
                    let trust = visitor.trust.lower(standing.trust);
                    lesson = self
                        .authored_memory(visitor, trust, &project.traces().get(trace).await?, &review)
                        .await;
                }
            }
            let (lesson, statistics) = lesson.as_ref().map(|(memory, counted)| (memory, counted)).unzip();
            let change = ReviewChange { trace, instead_of, review: Some(&review), lesson };
            if project.reviews().change(&change, actor, claim).await? {
                self.events.publish(visitor.project, "reviews", Some(trace.as_uuid()));
                let stored = project.traces().get_without_body(trace).await?;
                // Not if the call is a repeated one that was stored in between.
                let is_new =
                    stored.review.as_ref().is_some_and(|stored| stored.review_id == review.review_id);
                if let Some(statistics) = statistics.filter(|_| is_new) {
                    self.memories.record_authored(visitor.project, statistics).await;
                }
                return Ok(stored);
            }
        }
        Err(busy())
    }

    /// Before the comparison with the stored review, which is redacted too.
    async fn redacted(
        &self,
        visitor: &Visitor,
        verdict: ReviewRequest,
    ) -> Result<ReviewRequest, EngineError> {
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let feedback = redactor.optional("feedback_text", verdict.feedback)?;
        let authored =
            verdict.authored.map(|lesson| redactor.lesson("review.reflection", lesson)).transpose()?;
        redactor.finish();
        Ok(ReviewRequest { feedback, authored, ..verdict })
    }

    async fn authored_memory(
        &self,
        visitor: &Visitor,
        trust: Trust,
        trace: &TraceRow,
        review: &NewReview,
    ) -> Option<(NewMemoryRow, AuthoredStatistics)> {
        let input = LearnInput {
            review_id: review.review_id,
            trace_id: trace.trace_id,
            task: trace.task.clone(),
            trajectory: trace.trajectory.clone(),
            final_response: trace.final_response.clone(),
            metadata: trace.metadata.clone(),
            reference_context: None,
            key_id: visitor.key_id,
            trust,
            result: review.result,
            feedback: review.feedback.clone(),
            by: ReviewerKind::Person,
            authored: None,
            attempt: 1,
            failures: 0,
            draft: None,
            relations: None,
            linked: trace.linked.clone(),
            used: trace.used.clone(),
            shown: Vec::new(),
        };
        self.memories.authored_memory(visitor.project, &input, review.authored.clone()?).await
    }
}

fn busy() -> EngineError {
    StoreError::Conflict { what: "other callers are changing this review; try again" }.into()
}

fn new_review(visitor: &Visitor, reviewer: String, verdict: &ReviewRequest) -> NewReview {
    let authored = verdict.authored.as_ref();
    NewReview {
        review_id: ReviewId::generate(),
        result: verdict.result,
        feedback: verdict.feedback.clone().map(storable),
        alpha: verdict.alpha,
        mode: ReviewMode::Deferred,
        reviewer,
        authored: authored.map(|lesson| storable_json(serde_json::to_value(lesson).unwrap_or_default())),
        grace: verdict.grace,
        action: None,
        trust: visitor.trust,
        bounds: None,
        reviewed_at: None,
    }
}

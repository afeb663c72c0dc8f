//! A verdict on a run that is stored already: given, given again, changed, taken back.

mod bulk;
mod estimate;
mod revert;
mod reviewer;
mod rule;

use std::time::Duration;

use reflect_store::{Actor, Claim, LearnInput, NewMemory, NewReview, ReviewChange, StoreError, TraceRow};
use reflect_types::{Alpha, ReviewId, ReviewMode, ReviewResult, TraceId, Trust};

use crate::authenticate::Visitor;
use crate::submit::{check_feedback, storable, storable_json};
use crate::{AuthoredLesson, Engine, EngineError, MAX_BATCH};
pub use bulk::{BulkReviewed, BulkRuns, BulkVerdict};
pub(crate) use reviewer::reviewer;
use rule::{Step, may_end, step};

/// Others may change the verdict at the same moment; whoever loses looks again.
const LOOKS: usize = 5;
/// Longer, and what was judged today is learned from tomorrow.
const LONGEST_GRACE: Duration = Duration::from_secs(300);

/// What somebody thinks of a run.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far it moves utilities.
    pub alpha: Option<Alpha>,
    /// A lesson that came with it.
    pub authored: Option<AuthoredLesson>,
    /// Whether it may take the place of another verdict.
    pub replace: bool,
    /// How long learning waits, so that the verdict can be taken back before anything came of it.
    pub grace: Duration,
    /// Who judges, when the key alone does not say.
    pub reviewer: Option<String>,
}

/// A verdict of a batch, and what it is about.
#[derive(Debug, Clone)]
pub struct VerdictOnTrace {
    /// The run; none when what was sent is no id.
    pub trace: Option<TraceId>,
    /// The verdict.
    pub verdict: Verdict,
}

impl Engine {
    /// Judges a run, waits for what is learned from that, and returns the run as it then is. With a grace there
    /// is nothing to wait for yet. The same call again changes nothing, also when the verdict was taken back or
    /// replaced since.
    pub async fn review(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        verdict: Verdict,
        actor: &Actor,
        claim: Option<&Claim>,
        longest: Duration,
    ) -> Result<TraceRow, EngineError> {
        self.judge(visitor, trace, &verdict, actor, claim).await?;
        if verdict.grace.is_zero() {
            self.wait_until_settled(visitor.project, trace, longest).await?;
        }
        Ok(self.store.project(visitor.project).trace(trace).await?)
    }

    /// Judges many runs; each is answered for itself, and nobody waits for what is learned.
    pub async fn review_batch(
        &self,
        visitor: &Visitor,
        verdicts: Vec<VerdictOnTrace>,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<Vec<Result<TraceRow, EngineError>>, EngineError> {
        if verdicts.len() > MAX_BATCH {
            let problem = format!("has {} entries, at most {MAX_BATCH} are taken", verdicts.len());
            return Err(EngineError::invalid("reviews", problem));
        }
        let mut answers = Vec::with_capacity(verdicts.len());
        for (number, VerdictOnTrace { trace, verdict }) in verdicts.into_iter().enumerate() {
            let claim = claim.map(|claim| claim.part(number));
            answers.push(match trace {
                Some(trace) => self.judge(visitor, trace, &verdict, actor, claim.as_ref()).await,
                None => Err(StoreError::NotFound { what: "trace" }.into()),
            });
        }
        Ok(answers)
    }

    /// Takes a verdict back: what it moved moves back, and the memory it made is retired. With `only`, that one and
    /// none that took its place: whoever undoes what they did must not undo what somebody else did since.
    pub async fn withdraw_review(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        only: Option<ReviewId>,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<TraceRow, EngineError> {
        let project = self.store.project(visitor.project);
        for _ in 0..LOOKS {
            let current = project.trace(trace).await?;
            if project.is_repeat(claim).await? {
                return Ok(current);
            }
            let Some(review) = &current.review else {
                if project.keep_review(trace, None, claim).await? {
                    return Ok(current);
                }
                continue;
            };
            if only.is_some_and(|only| only != review.review_id) {
                let what = "another review took its place, so this one counts no more";
                return Err(StoreError::Conflict { what }.into());
            }
            if visitor.trust == Trust::Untrusted {
                may_end(visitor.trust, project.standing(trace).await?.review_trust)?;
            }
            let change =
                ReviewChange { trace, instead_of: Some(review.review_id), review: None, lesson: None };
            if project.change_review(&change, actor, claim).await? {
                return Ok(project.trace(trace).await?);
            }
        }
        Err(busy())
    }

    /// Learns again from a run that was given up on.
    pub async fn retry(&self, visitor: &Visitor, trace: TraceId) -> Result<TraceRow, EngineError> {
        let project = self.store.project(visitor.project);
        if !project.retry_learning(trace).await? {
            // Says "not found" when that is why.
            project.trace(trace).await?;
            let what = "the trace has not failed, so there is nothing to try again";
            return Err(StoreError::Conflict { what }.into());
        }
        Ok(project.trace(trace).await?)
    }

    /// Stores a verdict, unless it is there already.
    async fn judge(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        verdict: &Verdict,
        actor: &Actor,
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
            let current = project.trace_without_body(trace).await?;
            // After the look at the verdict: a call that was made in between is not missed.
            if project.is_repeat(claim).await? {
                return Ok(current);
            }
            let instead_of = match step(current.review.as_ref(), verdict) {
                Step::Keep => {
                    let review = current.review.as_ref().map(|review| review.review_id);
                    if project.keep_review(trace, review, claim).await? {
                        return Ok(current);
                    }
                    continue;
                }
                Step::Store { instead_of } => instead_of,
                Step::Refuse => {
                    let what = "the trace has another verdict already; send `replace: true` to change it";
                    return Err(StoreError::Conflict { what }.into());
                }
            };
            let mut review = new_review(visitor, reviewer.clone(), verdict);
            // A lesson that came along is embedded at once, unless it may still be taken back.
            let authored = lesson.is_none() && verdict.authored.is_some() && verdict.grace.is_zero();
            // Most reviews are trusted and bring no lesson: nobody asks then who stands behind the run.
            if visitor.trust == Trust::Untrusted || authored {
                let standing = project.standing(trace).await?;
                if instead_of.is_some() {
                    may_end(visitor.trust, standing.review_trust)?;
                }
                let (linked, receipt) = (&standing.linked, standing.retrieval);
                review.bounds = self.vote_bounds(visitor, linked, receipt, verdict.alpha).await?;
                if authored {
                    let trust = visitor.trust.lower(standing.trust);
                    lesson = self.lesson_of(visitor, trust, &project.trace(trace).await?, &review).await;
                }
            }
            let change = ReviewChange { trace, instead_of, review: Some(&review), lesson: lesson.as_ref() };
            if project.change_review(&change, actor, claim).await? {
                self.tell(visitor.project, "reviews", Some(trace.as_uuid()));
                return Ok(project.trace_without_body(trace).await?);
            }
        }
        Err(busy())
    }

    /// Before it is compared with the verdict that is there: what is stored was redacted too.
    async fn redacted(&self, visitor: &Visitor, verdict: Verdict) -> Result<Verdict, EngineError> {
        let mut redactor = self.redactor(visitor.project).await?;
        let feedback = redactor.optional("feedback_text", verdict.feedback)?;
        let authored =
            verdict.authored.map(|lesson| redactor.lesson("review.reflection", lesson)).transpose()?;
        redactor.finish();
        Ok(Verdict { feedback, authored, ..verdict })
    }

    async fn lesson_of(
        &self,
        visitor: &Visitor,
        trust: Trust,
        trace: &TraceRow,
        review: &NewReview,
    ) -> Option<NewMemory> {
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
            authored: None,
            attempt: 1,
            failures: 0,
            draft: None,
            linked: trace.linked.clone(),
            used: trace.used.clone(),
            shown: Vec::new(),
        };
        self.authored_memory(visitor.project, &input, review.authored.clone()?).await
    }
}

fn busy() -> EngineError {
    StoreError::Conflict { what: "the verdict is being changed by others at this moment" }.into()
}

fn new_review(visitor: &Visitor, reviewer: String, verdict: &Verdict) -> NewReview {
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
    }
}

fn check_grace(grace: Duration) -> Result<(), EngineError> {
    if grace > LONGEST_GRACE {
        let problem = format!("must be from 0 to {}", LONGEST_GRACE.as_secs());
        return Err(EngineError::invalid("grace_seconds", problem));
    }
    Ok(())
}

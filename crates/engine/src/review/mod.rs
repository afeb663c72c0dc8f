//! A verdict on a run that is stored already: given, given again, changed, taken back.

mod rule;

use std::time::Duration;

use reflect_store::{Actor, LearnInput, NewMemory, NewReview, ReviewChange, StoreError, TraceRow};
use reflect_types::{Alpha, ReviewId, ReviewMode, ReviewResult, TraceId};

use crate::authenticate::Visitor;
use crate::submit::{check_feedback, storable, storable_json};
use crate::{AuthoredLesson, Engine, EngineError, MAX_BATCH};
use rule::{Step, step};

/// Others may change the verdict at the same moment; whoever loses looks again.
const LOOKS: usize = 5;

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
    /// Judges a run, waits for what is learned from that, and returns the run as it then is.
    pub async fn review(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        verdict: Verdict,
        actor: &Actor,
        longest: Duration,
    ) -> Result<TraceRow, EngineError> {
        self.judge(visitor, trace, &verdict, actor).await?;
        self.wait_until_settled(visitor.project, trace, longest).await?;
        Ok(self.store.project(visitor.project).trace(trace).await?)
    }

    /// Judges many runs; each is answered for itself, and nobody waits for what is learned.
    pub async fn review_batch(
        &self,
        visitor: &Visitor,
        verdicts: Vec<VerdictOnTrace>,
        actor: &Actor,
    ) -> Result<Vec<Result<TraceRow, EngineError>>, EngineError> {
        if verdicts.len() > MAX_BATCH {
            let problem = format!("has {} entries, at most {MAX_BATCH} are taken", verdicts.len());
            return Err(EngineError::invalid("reviews", problem));
        }
        let mut answers = Vec::with_capacity(verdicts.len());
        for VerdictOnTrace { trace, verdict } in verdicts {
            answers.push(match trace {
                Some(trace) => self.judge(visitor, trace, &verdict, actor).await,
                None => Err(StoreError::NotFound { what: "trace" }.into()),
            });
        }
        Ok(answers)
    }

    /// Takes a verdict back: what it moved moves back, and the memory it made is retired.
    pub async fn withdraw_review(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        actor: &Actor,
    ) -> Result<TraceRow, EngineError> {
        let project = self.store.project(visitor.project);
        for _ in 0..LOOKS {
            let current = project.trace(trace).await?;
            let Some(review) = &current.review else { return Ok(current) };
            let change =
                ReviewChange { trace, instead_of: Some(review.review_id), review: None, lesson: None };
            if project.change_review(&change, actor).await? {
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
    ) -> Result<TraceRow, EngineError> {
        if let Some(lesson) = &verdict.authored {
            lesson.check()?;
        }
        check_feedback(verdict.feedback.as_deref())?;
        let project = self.store.project(visitor.project);
        let mut lesson = None;
        for _ in 0..LOOKS {
            let current = project.trace_without_body(trace).await?;
            let instead_of = match step(current.review.as_ref(), verdict) {
                Step::Keep => return Ok(current),
                Step::Store { instead_of } => instead_of,
                Step::Refuse => {
                    let what = "the trace has another verdict already; send `replace: true` to change it";
                    return Err(StoreError::Conflict { what }.into());
                }
            };
            let review = new_review(visitor, verdict);
            if lesson.is_none() && verdict.authored.is_some() {
                lesson = self.lesson_of(visitor, &project.trace(trace).await?, &review).await;
            }
            let change = ReviewChange { trace, instead_of, review: Some(&review), lesson: lesson.as_ref() };
            if project.change_review(&change, actor).await? {
                self.tell(visitor.project, "reviews", Some(trace.as_uuid()));
                return Ok(project.trace_without_body(trace).await?);
            }
        }
        Err(busy())
    }

    async fn lesson_of(&self, visitor: &Visitor, trace: &TraceRow, review: &NewReview) -> Option<NewMemory> {
        let input = LearnInput {
            review_id: review.review_id,
            trace_id: trace.trace_id,
            task: trace.task.clone(),
            trajectory: trace.trajectory.clone(),
            final_response: trace.final_response.clone(),
            metadata: trace.metadata.clone(),
            reference_context: None,
            key_id: visitor.key_id,
            trust: visitor.trust,
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

fn new_review(visitor: &Visitor, verdict: &Verdict) -> NewReview {
    let authored = verdict.authored.as_ref();
    NewReview {
        review_id: ReviewId::generate(),
        result: verdict.result,
        feedback: verdict.feedback.clone().map(storable),
        alpha: verdict.alpha,
        mode: ReviewMode::Deferred,
        reviewer: visitor.name.clone(),
        authored: authored.map(|lesson| storable_json(serde_json::to_value(lesson).unwrap_or_default())),
    }
}

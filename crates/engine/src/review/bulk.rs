//! One verdict for many runs: what it would do, and doing it.

use std::collections::BTreeSet;
use std::time::Duration;

use reflect_store::{ActionId, Actor, NewReview, Reach, UnreviewedRun};
use reflect_types::{Alpha, MemoryId, ReviewId, ReviewMode, ReviewResult, TraceId, Trust};
use serde_json::json;

use super::estimate::lesson_tokens;
use super::{check_grace, reviewer};
use crate::authenticate::Visitor;
use crate::review_queue::{Matching, RunFilter};
use crate::submit::{check_feedback, storable};
use crate::{Engine, EngineError};

/// The most runs that one verdict may be about.
const MOST: u16 = 1000;
/// How many are judged in one transaction: few enough to be in nobody's way.
const CHUNK: usize = 50;

/// One verdict, and the runs it is about.
#[derive(Debug, Clone)]
pub struct BulkVerdict {
    /// The runs.
    pub runs: BulkRuns,
    /// The verdict.
    pub result: ReviewResult,
    /// What was right or wrong, in words.
    pub feedback: Option<String>,
    /// How far it moves utilities.
    pub alpha: Option<Alpha>,
    /// How long learning waits.
    pub grace: Duration,
    /// Who judges, when the key alone does not say.
    pub reviewer: Option<String>,
    /// Whether to say what it would do, and do nothing.
    pub dry_run: bool,
}

/// Which runs a verdict is about.
#[derive(Debug, Clone)]
pub enum BulkRuns {
    /// These.
    Named {
        /// How many were named.
        named: usize,
        /// Those of them that are ids.
        traces: Vec<TraceId>,
    },
    /// The newest that wait for a verdict and pass a filter.
    Matching(RunFilter),
}

/// What a verdict on many runs does, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BulkReviewed {
    /// By which all of it can be taken back; none when nothing was done.
    pub action: Option<ActionId>,
    /// Runs that get the verdict.
    pub traces: usize,
    /// Runs that do not: they have one, or are not there.
    pub skipped: usize,
    /// Runs that pass the filter beyond the most that are taken at once.
    pub left: usize,
    /// Memories whose utility moves.
    pub utilities: usize,
    /// Lessons that a model is asked to write, at most.
    pub reflections: usize,
    /// What that costs in tokens, about.
    pub tokens: u64,
}

/// The runs that a verdict is to be about.
struct Chosen {
    traces: Vec<TraceId>,
    /// How many were named, those included that are no ids or were named twice.
    named: usize,
    left: usize,
}

impl Engine {
    /// Judges many runs alike, as one action. Runs that got a verdict meanwhile are skipped.
    pub async fn review_bulk(
        &self,
        visitor: &Visitor,
        verdict: BulkVerdict,
        actor: &Actor,
    ) -> Result<BulkReviewed, EngineError> {
        // What an untrusted key may move depends on each run.
        if visitor.trust == Trust::Untrusted {
            let message = "a key that is not trusted reviews runs one by one".to_owned();
            return Err(EngineError::Forbidden(message));
        }
        let review = self.bulk_review(visitor, &verdict).await?;
        let chosen = self.choose(visitor, &review.reviewer, verdict.runs).await?;
        let project = self.store.project(visitor.project);
        let open = project.unreviewed_runs(&chosen.traces).await?;
        if verdict.dry_run {
            return self.bulk_outcome(visitor, &review, &chosen, &open, None).await;
        }
        let summary = json!({ "result": review.result.as_str(), "traces": open.len() });
        let mut action = None;
        let mut judged = BTreeSet::new();
        let wanted: Vec<TraceId> = open.iter().map(|run| run.trace_id).collect();
        for chunk in wanted.chunks(CHUNK) {
            let done = project.review_chunk(chunk, &review, action, &summary, actor).await?;
            action = done.action;
            judged.extend(done.judged);
        }
        let judged: Vec<UnreviewedRun> =
            open.into_iter().filter(|run| judged.contains(&run.trace_id)).collect();
        self.bulk_outcome(visitor, &review, &chosen, &judged, action).await
    }

    async fn choose(&self, visitor: &Visitor, holder: &str, runs: BulkRuns) -> Result<Chosen, EngineError> {
        match runs {
            BulkRuns::Named { named, .. } if named > usize::from(MOST) => {
                let problem = format!("has {named} entries, at most {MOST} are taken");
                Err(EngineError::invalid("trace_ids", problem))
            }
            BulkRuns::Named { named, traces } => Ok(Chosen { traces, named, left: 0 }),
            BulkRuns::Matching(filter) => {
                let reach = Reach { newest: MOST, ..Reach::default() };
                let Matching { traces, left } = self.matching_runs(visitor, holder, &filter, reach).await?;
                Ok(Chosen { named: traces.len(), traces, left })
            }
        }
    }

    /// The review that each of the runs gets, under an id of its own.
    async fn bulk_review(&self, visitor: &Visitor, verdict: &BulkVerdict) -> Result<NewReview, EngineError> {
        check_grace(verdict.grace)?;
        check_feedback(verdict.feedback.as_deref())?;
        let says_nothing = verdict.feedback.as_ref().is_none_or(|text| text.trim().is_empty());
        if verdict.result == ReviewResult::Fail && says_nothing {
            let problem = "must say what went wrong when many runs fail at once";
            return Err(EngineError::invalid("feedback_text", problem));
        }
        let mut redactor = self.redactor(visitor.project).await?;
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
        })
    }

    async fn bulk_outcome(
        &self,
        visitor: &Visitor,
        review: &NewReview,
        chosen: &Chosen,
        judged: &[UnreviewedRun],
        action: Option<ActionId>,
    ) -> Result<BulkReviewed, EngineError> {
        let linked: BTreeSet<MemoryId> = judged.iter().flat_map(|run| run.linked.clone()).collect();
        let linked: Vec<MemoryId> = linked.into_iter().collect();
        let moved = self.store.project(visitor.project).memory_standings(&linked).await?;
        let feedback = review.feedback.as_ref().map_or(0, String::len);
        // Without a model lessons are put together from what is there, and cost nothing.
        let writes = self.models.models.text.is_some();
        let cost = judged.iter().map(|run| lesson_tokens(run, feedback, &self.settings.learning));
        Ok(BulkReviewed {
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

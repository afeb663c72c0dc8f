//! The story of a lesson: a run that failed, what its reviewer said, and a later run that used the lesson and passed. The
//! choice of the lesson and the numbers are pure functions.

use chrono::{DateTime, Utc};
use reflect_rules::lessons::{JOINS, MOST_ABSORBED};
use reflect_store::{HelpfulMemory, ReviewRow, ReviewedNeighbour, TextFields, TraceRow};
use reflect_types::{LessonId, ReviewId, ReviewResult, StepKind, TraceId};

use crate::credit::ReviewTally;
use crate::one_line::one_line;
use crate::steps::TrajectoryStep;

/// A credit above this: runs with the memory went better than expected.
pub(crate) const AS_EXPECTED: f32 = 0.5;
/// One review may be luck.
pub(crate) const LEAST_EVIDENCE: i32 = 2;
/// How many memories are looked at, best first.
const MOST_CANDIDATES: usize = 20;
/// How many runs with similar tasks are counted.
pub(crate) const MOST_SIMILAR: usize = 200;
/// How many runs of one memory are counted: its own and those that it absorbed.
pub(crate) const RUNS_OF_MEMORY: usize = MOST_ABSORBED as usize + 1;
/// Longer texts are cut. In characters.
const LONGEST_TEXT: usize = 300;

/// How a project learned from one failed run.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonStory {
    /// The run that failed.
    pub failed: RunExcerpt,
    /// The lesson that was learned from it.
    pub lesson_id: LessonId,
    /// The lesson in one line.
    pub summary: String,
    /// What the reviewer of the failed run said.
    pub feedback: String,
    /// The reviewer.
    pub reviewer: String,
    /// The newest passed run that used the lesson.
    pub passed: RunExcerpt,
    /// Runs with similar tasks that were reviewed before the lesson was stored.
    pub before: ReviewTally,
    /// Those that were reviewed since then, with or without the lesson.
    pub after: ReviewTally,
}

/// The task of a run and its answer, both cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunExcerpt {
    /// The run.
    pub trace_id: TraceId,
    /// What the agent was asked to do.
    pub task: String,
    /// What it answered.
    pub answer: String,
    /// When it was recorded.
    pub created_at: DateTime<Utc>,
}

impl RunExcerpt {
    pub(crate) fn new(run: &TraceRow, answer: &str) -> Self {
        Self {
            trace_id: run.trace_id,
            task: one_line(&run.task, LONGEST_TEXT),
            answer: one_line(answer, LONGEST_TEXT),
            created_at: run.created_at,
        }
    }
}

/// The memories to look at: those with the best lower bound of the credit, newer ones first if these are equal.
pub(crate) fn best_first(mut memories: Vec<HelpfulMemory>) -> Vec<HelpfulMemory> {
    let lower_bound = |memory: &HelpfulMemory| memory.credit.interval().0;
    memories.sort_by(|one, other| {
        let by_bound = lower_bound(other).total_cmp(&lower_bound(one));
        by_bound.then_with(|| other.memory_id.cmp(&one.memory_id))
    });
    memories.truncate(MOST_CANDIDATES);
    memories
}

/// The feedback and the reviewer of a failed run, if its review is still the one that the memory comes from.
pub(crate) fn explanation(source: Option<ReviewId>, review: Option<&ReviewRow>) -> Option<(String, String)> {
    let is_source = |review: &&ReviewRow| Some(review.review_id) == source;
    let review = review.filter(is_source).filter(|review| review.result == ReviewResult::Fail)?;
    let feedback = one_line(review.feedback.as_deref()?, LONGEST_TEXT);
    (!feedback.is_empty()).then(|| (feedback, review.reviewer.clone()))
}

/// A lesson in one line.
pub(crate) fn lesson_line(text: &TextFields) -> String {
    let lesson = if text.summary.trim().is_empty() { &text.reflection } else { &text.summary };
    one_line(lesson, LONGEST_TEXT)
}

/// What the agent said last.
pub(crate) fn last_message(steps: &[TrajectoryStep]) -> String {
    let said = steps.iter().rev().filter(|step| step.kind == StepKind::Assistant);
    let mut texts = said.map(TrajectoryStep::text).filter(|text| !text.trim().is_empty());
    texts.next().unwrap_or_default().into_owned()
}

/// The results of runs with similar tasks, reviewed until a memory was stored and since then. A task is similar if its run
/// could join the lesson.
pub(crate) fn around(runs: &[ReviewedNeighbour], stored_at: DateTime<Utc>) -> (ReviewTally, ReviewTally) {
    let (mut before, mut after) = (ReviewTally::default(), ReviewTally::default());
    for run in runs.iter().filter(|run| run.similarity >= JOINS) {
        // A review and its memory have the same time if they were stored together.
        let tally = if run.reviewed_at <= stored_at { &mut before } else { &mut after };
        tally.reviews += 1;
        tally.passes += u32::from(run.passed);
    }
    (before, after)
}

#[cfg(test)]
mod tests {
    use reflect_trajectory::steps;
    use reflect_types::{Credit, MemoryId, ReviewMode};

    use super::*;

    fn memory(credit: f32, evidence: i32) -> HelpfulMemory {
        HelpfulMemory {
            memory_id: MemoryId::generate(),
            source_review: ReviewId::generate(),
            credit: Credit::stored(credit, evidence),
        }
    }

    #[test]
    fn a_sure_credit_comes_before_a_high_one_and_a_new_memory_before_an_old_one() {
        let (lucky, sure) = (memory(0.7, 2), memory(0.68, 12));
        let (older, newer) = (memory(0.6, 4), memory(0.6, 4));

        let order = best_first(vec![lucky, older, sure, newer]);

        assert_eq!(order, [sure, lucky, newer, older]);
        assert_eq!(best_first(vec![lucky; 50]).len(), MOST_CANDIDATES);
    }

    #[test]
    fn similar_runs_are_counted_by_the_time_of_their_review() {
        let at = |seconds: i64| DateTime::from_timestamp(1_700_000_000 + seconds, 0).unwrap();
        let run =
            |similarity, passed, seconds| ReviewedNeighbour { similarity, passed, reviewed_at: at(seconds) };
        // The failed run itself, reviewed when its memory was stored.
        let own = run(1.0, false, 0);
        let others = [run(0.9, true, -60), run(0.5, false, -3600), run(0.7, true, 1), run(0.6, true, 90)];
        let unlike = [run(0.49, true, -1), run(0.1, true, 1)];

        let runs: Vec<ReviewedNeighbour> = [own].into_iter().chain(others).chain(unlike).collect();
        let (before, after) = around(&runs, at(0));

        assert_eq!(before, ReviewTally { reviews: 3, passes: 1 });
        assert_eq!(after, ReviewTally { reviews: 2, passes: 2 });
        assert_eq!(around(&[], at(0)), (ReviewTally::default(), ReviewTally::default()));
    }

    #[test]
    fn only_the_feedback_of_the_failed_review_itself_is_an_explanation() {
        let review = |result, feedback: &str| ReviewRow {
            review_id: ReviewId::generate(),
            result,
            feedback: Some(feedback.to_owned()),
            alpha: 0.3,
            mode: ReviewMode::Inline,
            reviewer: "member:ana".to_owned(),
            authored: None,
            created_at: DateTime::UNIX_EPOCH,
            learns_at: None,
        };
        let failed = review(ReviewResult::Fail, " The voucher\nwas left out. ");
        let explained = |review: &ReviewRow| explanation(Some(review.review_id), Some(review));

        assert_eq!(
            explained(&failed),
            Some(("The voucher was left out.".to_owned(), "member:ana".to_owned()))
        );
        assert_eq!(explained(&review(ReviewResult::Pass, "Well done.")), None);
        assert_eq!(explained(&review(ReviewResult::Fail, " ")), None);
        assert_eq!(explained(&ReviewRow { feedback: None, ..failed.clone() }), None);
        assert_eq!(explanation(Some(ReviewId::generate()), Some(&failed)), None, "it was replaced");
        assert_eq!(explanation(Some(failed.review_id), None), None, "it was withdrawn");
    }

    #[test]
    fn the_last_message_of_the_agent_stands_for_a_missing_answer() {
        let trajectory = r#"[{ "role": "assistant", "content": "First." },
                             { "role": "assistant", "content": "I refunded 49.90." },
                             { "role": "tool", "content": "ok" }, { "role": "assistant", "content": " " }]"#;
        assert_eq!(last_message(&steps(trajectory)), "I refunded 49.90.");
        assert_eq!(last_message(&[]), "");
    }
}

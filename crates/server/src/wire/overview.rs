//! The overview of a project, and the story of one of its lessons.

use chrono::{DateTime, Utc};
use reflect_api::{
    DayCount, LearningFailure, NewMemory, Overview, OverviewStory, PendingRun, ReflectionCounts,
    ReviewCounts, SimilarRuns, Story, StoryLesson, StoryRun, TraceCounts, UseCounts,
};
use reflect_engine::credit::ReviewTally;
use reflect_engine::{LessonStory, RunExcerpt};
use reflect_store::OverviewFacts;

pub(crate) fn overview(facts: OverviewFacts, as_of: DateTime<Utc>) -> Overview {
    let stages = facts.stages;
    Overview {
        as_of,
        traces: TraceCounts {
            last_24h: facts.arrivals.last_day,
            last_7d: facts.arrivals.last_week,
            more: facts.more_arrivals,
        },
        reviews: ReviewCounts {
            runs: stages.runs,
            reviewed: stages.reviewed,
            share: share(stages.reviewed, stages.runs),
            pending: facts.pending.runs,
            pending_more: facts.pending.more,
            oldest_pending: facts
                .oldest_pending
                .map(|(trace_id, created_at)| PendingRun { trace_id, created_at }),
        },
        reflections: ReflectionCounts { made: stages.made, failed: stages.failed, queued: stages.queued },
        memories_used: UseCounts {
            runs: stages.runs,
            with_memories: stages.with_memories,
            share: share(stages.with_memories, stages.runs),
        },
        lessons: facts.lessons.lessons,
        situations: facts.lessons.situations,
        success_by_day: facts
            .days
            .into_iter()
            .map(|row| DayCount { day: row.day, reviews: row.reviews, passed: row.passed })
            .collect(),
        newest_memories: facts
            .memories
            .into_iter()
            .map(|row| NewMemory {
                id: row.memory_id,
                task: row.task,
                summary: row.summary,
                origin: row.origin,
                success: row.success,
                created_at: row.created_at,
            })
            .collect(),
        failures: facts
            .failures
            .into_iter()
            .map(|row| LearningFailure {
                trace_id: row.trace_id,
                task: row.task,
                error: row.last_error,
                created_at: row.created_at,
            })
            .collect(),
    }
}

pub(crate) fn overview_story(story: Option<LessonStory>) -> OverviewStory {
    let story = story.map(|story| Story {
        failed: story_run(story.failed),
        lesson: StoryLesson {
            lesson_id: story.lesson_id,
            summary: story.summary,
            feedback: story.feedback,
            reviewer: story.reviewer,
        },
        passed: story_run(story.passed),
        before: similar_runs(story.before),
        after: similar_runs(story.after),
    });
    OverviewStory { story }
}

fn story_run(run: RunExcerpt) -> StoryRun {
    // The line is always of the answer: which step a feedback is about is not known.
    StoryRun { trace_id: run.trace_id, task: run.task, line: run.answer, step: None, at: run.created_at }
}

const fn similar_runs(tally: ReviewTally) -> SimilarRuns {
    SimilarRuns { reviewed: tally.reviews, passed: tally.passes }
}

/// `None` if the whole is 0.
fn share(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

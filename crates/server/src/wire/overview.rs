//! The overview of a project.

use chrono::{DateTime, Utc};
use reflect_api::{
    DayCount, LearningFailure, NewMemory, Overview, PendingRun, ReflectionCounts, ReviewCounts, TraceCounts,
    UseCounts,
};
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

/// `None` if the whole is 0.
fn share(part: i64, whole: i64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

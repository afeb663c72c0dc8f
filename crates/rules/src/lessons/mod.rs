//! Lessons and their situations: what is the same advice, which lesson a new run joins, what it supersedes, and how a
//! ranking of situations is served as lessons.

mod advice;
mod contradiction;
mod placement;
mod serving;

pub use advice::{AdviceKey, AdviceKind, AdviceText, Relation, advice_key, relation};
pub use contradiction::{CONTRADICTS, Contradicting, Contradictions, contradictions};
pub use placement::{
    ABSORBS, JOINS, Joined, MOST_ABSORBED, NearSituation, NewSituation, Placement, SameBy, place,
};
pub use serving::{LessonKeys, MOST_VOTES, RankedSituation, ServedLesson, ServedLessons, serve_lessons};

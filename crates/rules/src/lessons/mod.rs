//! Lessons and their situations: what is the same advice, which lesson a new run joins, and what it supersedes.

mod advice;
mod contradiction;
mod kind;
mod placement;

pub use advice::{AdviceKey, AdviceKind, AdviceText, Relation, advice_key, is_structured, relation};
pub use contradiction::{Contradicting, Contradictions, contradictions};
pub use kind::{ABSORBS, CONTRADICTS, SituationKind};
pub use placement::{JOINS, Joined, MOST_ABSORBED, NearSituation, NewSituation, Placement, SameBy, place};

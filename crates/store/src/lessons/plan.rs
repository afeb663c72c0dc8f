//! What is decided about a new situation before its transaction. The transaction checks it again under its locks.

use reflect_rules::lessons::{AdviceKey, Placement, SituationKind};
use reflect_types::{LessonSettings, MemoryId, UseSource};

use super::NewMemoryRow;

/// Which lesson a new situation belongs to, and what it contradicts. By default it is not grouped.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LessonPlan {
    /// What it is about.
    pub kind: SituationKind,
    /// What it advises.
    pub advice: Option<AdviceKey>,
    /// Where it belongs.
    pub placement: Placement,
    /// The settings of the project.
    pub settings: LessonSettings,
    /// Whether the review has words: feedback with content, or a lesson that was sent with it.
    pub has_words: bool,
    /// Situations that contradict it and are near enough. Their credit is read again under lock.
    pub contradicting: Vec<PossibleContradiction>,
    /// How it is known which memories the run used.
    pub used_by: Option<UseSource>,
    /// The memories whose use was looked at. `None` if that is all of them.
    pub compared: Option<Vec<MemoryId>>,
    /// Further situations of the same run, each with its own plan and step.
    pub steps: Vec<NewMemoryRow>,
    /// The step of its run, from 0. `None` if it is about the whole run.
    pub step: Option<i16>,
}

/// A situation that may be superseded by a new one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PossibleContradiction {
    /// The situation.
    pub memory_id: MemoryId,
    /// The similarity of the tasks.
    pub similarity: f32,
    /// Pinned, written or edited by a person: only a person decides.
    pub is_protected: bool,
}

//! Lessons and their situations: how a run becomes situations, which lessons they belong to, and what is known about lessons.
//!
//! A memory is a situation. A lesson is the set of situations with one `lesson_id`.

mod contradict;
mod corroborate;
mod creation_events;
mod finish;
mod grouping;
mod lesson_list;
mod locked;
mod near;
mod plan;
mod questions;
mod release;
mod statistics;

use reflect_rules::lessons::Placement;
use reflect_types::{KeyId, MemoryId, MemoryOrigin, Trust};

use crate::db::ProjectDb;
use crate::ids::SpaceId;
use crate::skills::SkillStore;
pub(crate) use creation_events::creation_events;
pub use finish::LESSON_JOIN;
pub(crate) use finish::{finish, finish_alone, record_joins};
pub use grouping::{GroupedMemory, GroupingProgress, GroupingStore, LESSON_MIGRATE, UngroupedRow};
pub(crate) use lesson_list::count_in;
pub use lesson_list::{LessonCounts, LessonRow};
pub(crate) use locked::{lock_plans, lock_targets};
pub use near::NearRow;
pub use plan::{LessonPlan, PossibleContradiction};
pub use questions::{AnsweredQuestion, QuestionRow, QuestionSide, QuestionStore};
pub(crate) use questions::{lock_question, record_answer};
pub(crate) use release::{lock_absorbed_runs, lock_runs, made_by, release};
pub use statistics::{LearningStatistics, ReplayStep};

/// The lessons of a project.
#[derive(Debug, Clone, Copy)]
pub struct LessonStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

impl<'a> LessonStore<'a> {
    /// Pairs of lessons that contradict each other, about which people decide.
    pub const fn questions(self) -> QuestionStore<'a> {
        QuestionStore { db: self.db }
    }

    /// The grouping of the memories that existed before lessons were grouped.
    pub const fn grouping(self) -> GroupingStore<'a> {
        GroupingStore { db: self.db }
    }

    /// Versions of the project's skill, which is written from its best lessons.
    pub const fn skills(self) -> SkillStore<'a> {
        SkillStore { db: self.db }
    }
}

/// A lesson to store as a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemoryRow {
    /// Its id.
    pub memory_id: MemoryId,
    /// Where its text came from.
    pub origin: MemoryOrigin,
    /// The task it was learned from.
    pub task: String,
    /// The whole lesson in one text.
    pub reflection: String,
    /// The lesson in one line.
    pub summary: String,
    /// What to do next time.
    pub guidance: String,
    /// What went wrong.
    pub key_mistake: String,
    /// What should have been done.
    pub correct_action: String,
    /// The tools or areas it is about.
    pub applicable_tools: Vec<String>,
    /// The tools that the run used.
    pub tools_used: Vec<String>,
    /// What became of the run.
    pub success: Option<bool>,
    /// As the run was described.
    pub metadata: serde_json::Value,
    /// The model that wrote it, if any.
    pub model: Option<String>,
    /// The version of the prompt.
    pub prompt_version: Option<i32>,
    /// A note on how it was written.
    pub note: Option<String>,
    /// Why it replaces the lesson of a model. Shown on the trace.
    pub replaced: Option<String>,
    /// Whether it is in quarantine.
    pub quarantined: bool,
    /// Suspicious findings in its texts.
    pub flags: Vec<String>,
    /// Trust of its source: the lower of the keys that sent and reviewed the run.
    pub trust: Trust,
    /// That key.
    pub author_key: KeyId,
    /// Its vector in each space.
    pub vectors: Vec<(SpaceId, Vec<f32>)>,
    /// Which of its memories the run used, if that is known.
    pub used: Option<Vec<MemoryId>>,
    /// The probability that the run passes, independent of its memories. `None` if it had no memories, since credit
    /// is not computed then.
    pub expected: Option<f32>,
    /// Which lesson it belongs to, what it contradicts, and the further situations of its run.
    pub lesson: LessonPlan,
}

impl NewMemoryRow {
    /// What its run creates according to the plan: this situation, or the one that absorbs it.
    pub(crate) const fn created(&self) -> MemoryId {
        match self.lesson.placement {
            Placement::Absorb(joined) => joined.situation,
            _ => self.memory_id,
        }
    }
}

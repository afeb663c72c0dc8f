//! Lessons: their text, the checks on it, the memories that they become, and the lessons that these join.

mod advice_model;
mod builder;
mod draft;
mod flags;
mod lesson;
mod lint;
mod look_alikes;
mod planner;
mod quarantine;
mod run_units;
#[cfg(test)]
pub(crate) mod test_input;

pub(crate) use advice_model::AdviceModel;
pub(crate) use builder::{AuthoredStatistics, MemoryBuilder, count_situations};
#[cfg(test)]
pub(crate) use draft::memory;
pub(crate) use draft::{LessonDraft, Origin, authored_lesson, tools_used};
pub use lesson::AuthoredLesson;
pub(crate) use lesson::{compose, tidy};
pub(crate) use lint::flags_of;
pub(crate) use planner::LessonPlanner;
pub(crate) use run_units::RunUnits;

//! Lessons: their text, the checks on it, and the memories that they become.

mod builder;
mod draft;
mod flags;
mod lesson;
mod lint;
mod look_alikes;
mod quarantine;

pub(crate) use builder::MemoryBuilder;
pub(crate) use draft::{LessonDraft, Origin, authored_lesson, memory, tools_used};
pub use lesson::AuthoredLesson;
pub(crate) use lesson::{compose, tidy};

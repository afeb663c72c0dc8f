//! A lesson with its author, and the memory that it becomes.

use reflect_store::{LearnInput, LessonPlan, NewMemoryRow};
use reflect_types::{MemoryId, MemoryOrigin, ReviewResult, Trust, UseSource};
use reflection_pipeline::trajectory;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lesson::{AuthoredLesson, compose, tidy};
use super::lint::{Linted, lint};
use super::quarantine::waits;

/// A lesson before it is stored as a memory. Also the stored form of a model's answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LessonDraft {
    pub(crate) text: AuthoredLesson,
    pub(crate) origin: Origin,
    /// The memories that the run used, if known.
    #[serde(default)]
    pub(crate) used: Option<Vec<MemoryId>>,
    #[serde(default)]
    pub(crate) tools_used: Vec<String>,
}

/// The author.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// A model, with the version of the prompt.
    Model { name: String, prompt_version: i32, note: Option<String> },
    /// The reviewer.
    Author,
    /// No author: composed without a model. `reason` says why, if a model was asked.
    Offline {
        note: String,
        #[serde(default)]
        reason: Option<String>,
    },
}

/// The memory of a lesson about the task of its run, without vectors.
#[cfg(test)]
pub(crate) fn memory(input: &LearnInput, lesson: LessonDraft) -> NewMemoryRow {
    memory_about(input, input.task.clone(), lesson)
}

/// The memory of a lesson about a task, without vectors.
pub(super) fn memory_about(input: &LearnInput, task: String, lesson: LessonDraft) -> NewMemoryRow {
    let LessonDraft { text, origin, used, tools_used } = lesson;
    let text = tidy(text);
    let signs = lint(Linted {
        task: &task,
        lesson: &text,
        tools_used: &tools_used,
        trajectory: &input.trajectory,
        is_run_searched: input.trust == Trust::Untrusted || matches!(origin, Origin::Model { .. }),
    });
    let plan = LessonPlan {
        has_words: origin == Origin::Author,
        used_by: use_source(input, used.as_deref()),
        ..LessonPlan::default()
    };
    let mut replaced = None;
    let (origin, model, prompt_version, note) = match origin {
        Origin::Model { name, prompt_version, note } => {
            (MemoryOrigin::Review, Some(name), Some(prompt_version), note)
        }
        Origin::Author => (MemoryOrigin::Authored, None, None, None),
        Origin::Offline { note, reason } => {
            replaced = reason;
            (MemoryOrigin::Offline, None, None, Some(note))
        }
    };
    NewMemoryRow {
        memory_id: MemoryId::generate(),
        origin,
        task,
        reflection: compose(&text),
        summary: text.summary,
        guidance: text.guidance,
        key_mistake: text.key_mistake,
        correct_action: text.correct_action,
        applicable_tools: text.applicable_tools,
        tools_used,
        success: Some(input.result == ReviewResult::Pass),
        metadata: input.metadata.clone(),
        model,
        prompt_version,
        note,
        replaced,
        quarantined: waits(input.trust, &signs),
        flags: signs.names(),
        trust: input.trust,
        author_key: input.key_id,
        vectors: Vec::new(),
        // The client knows better than the model which memories were used.
        used: input.used.clone().or(used),
        expected: None,
        lesson: plan,
    }
}

/// How it is known which memories a run used, if a model may have said it.
fn use_source(input: &LearnInput, by_model: Option<&[MemoryId]>) -> Option<UseSource> {
    match (&input.used, by_model) {
        (Some(_), _) => Some(UseSource::Client),
        (None, Some(_)) => Some(UseSource::Model),
        (None, None) => None,
    }
}

/// The lesson that came with a review.
pub(crate) fn authored_lesson(authored: Value, trajectory: &str) -> LessonDraft {
    let text: AuthoredLesson = serde_json::from_value(authored).unwrap_or_default();
    LessonDraft { text, origin: Origin::Author, used: None, tools_used: tools_used(trajectory) }
}

/// The names of the tools that a run called.
pub(crate) fn tools_used(trajectory: &str) -> Vec<String> {
    trajectory::tool_names(&trajectory::messages(trajectory))
}

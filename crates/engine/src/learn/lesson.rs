//! What a run teaches, wherever the words came from, and the memory it becomes.

use reflect_store::{LearnInput, NewMemory};
use reflect_types::{MemoryId, MemoryOrigin, ReviewResult};
use serde::{Deserialize, Serialize};

use super::lint::lint;
use super::quarantine::waits;
use crate::EngineError;

/// The longest text of one field. What is longer helps no agent and crowds out other memories.
const LONGEST_FIELD: usize = 8_000;
const MOST_TOOLS: usize = 50;
const LONGEST_SENT: usize = 64 * 1024;

/// A lesson that whoever reviewed the run wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuthoredLesson {
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
}

impl AuthoredLesson {
    /// Refuses a lesson that teaches nothing.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        self.check_as("review.reflection")
    }

    /// The same for one that was sent in another place.
    pub(crate) fn check_as(&self, field: &'static str) -> Result<(), EngineError> {
        let words = [&self.summary, &self.guidance, &self.key_mistake, &self.correct_action];
        if words.iter().any(|text| text.len() > LONGEST_SENT) {
            return Err(EngineError::invalid(field, "must not have a text over 64 kB"));
        }
        if words.iter().all(|text| text.trim().is_empty()) {
            let problem = "must have a summary, a guidance, a key_mistake or a correct_action";
            return Err(EngineError::invalid(field, problem));
        }
        Ok(())
    }
}

/// What a run teaches. Also the form in which a paid answer waits to become a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lesson {
    pub(crate) text: AuthoredLesson,
    pub(crate) origin: Origin,
    /// Which of the memories that the run was shown it made use of, when somebody says so.
    #[serde(default)]
    pub(crate) used: Option<Vec<MemoryId>>,
    #[serde(default)]
    pub(crate) tools_used: Vec<String>,
}

/// Who wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// A model, in answer to a question of this version.
    Model { name: String, prompt_version: i32, note: Option<String> },
    /// Whoever reviewed the run.
    Author,
    /// Nobody.
    Offline { note: String },
}

/// The memory that a lesson becomes, not placed yet.
pub(crate) fn memory(input: &LearnInput, lesson: Lesson) -> NewMemory {
    let Lesson { text, origin, used, tools_used } = lesson;
    let text = tidy(text);
    let signs = lint(&input.task, &text, &input.trajectory);
    let (origin, model, prompt_version, note) = match origin {
        Origin::Model { name, prompt_version, note } => {
            (MemoryOrigin::Review, Some(name), Some(prompt_version), note)
        }
        Origin::Author => (MemoryOrigin::Authored, None, None, None),
        Origin::Offline { note } => (MemoryOrigin::Offline, None, None, Some(note)),
    };
    NewMemory {
        memory_id: MemoryId::generate(),
        origin,
        task: input.task.clone(),
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
        quarantined: waits(input.trust, &signs.lesson),
        flags: signs.names(),
        trust: input.trust,
        author_key: input.key_id,
        vectors: Vec::new(),
        // Whoever ran the agent knows better than whoever reads about it.
        used: input.used.clone().or(used),
        expected: None,
    }
}

/// Texts of bounded length, without what Postgres cannot hold.
pub(crate) fn tidy(mut text: AuthoredLesson) -> AuthoredLesson {
    for field in [&mut text.summary, &mut text.guidance, &mut text.key_mistake, &mut text.correct_action] {
        *field = field.replace('\0', "").trim().chars().take(LONGEST_FIELD).collect();
    }
    text.applicable_tools.retain(|tool| !tool.trim().is_empty());
    text.applicable_tools.truncate(MOST_TOOLS);
    for tool in &mut text.applicable_tools {
        *tool = tool.replace('\0', "").trim().chars().take(200).collect();
    }
    text
}

/// The one text that old clients show: what to do first, then what went wrong and what would have been
/// right. Never empty.
pub(crate) fn compose(text: &AuthoredLesson) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !text.guidance.is_empty() {
        parts.push(text.guidance.clone());
    }
    // Guidance that was put together from feedback says it already.
    if !text.key_mistake.is_empty() && !text.guidance.contains(&text.key_mistake) {
        parts.push(format!("Mistake: {}", text.key_mistake));
    }
    if !text.correct_action.is_empty() {
        parts.push(format!("Instead: {}", text.correct_action));
    }
    if parts.is_empty() {
        parts.push(text.summary.clone());
    }
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lesson_reads_guidance_first() {
        let text = AuthoredLesson {
            guidance: "Check the order first.".into(),
            key_mistake: "It was not checked.".into(),
            correct_action: "Look it up.".into(),
            ..AuthoredLesson::default()
        };
        assert_eq!(
            compose(&text),
            "Check the order first.\nMistake: It was not checked.\nInstead: Look it up."
        );
    }

    #[test]
    fn nothing_is_said_twice() {
        let text = AuthoredLesson {
            guidance: "Mind what a reviewer said: It was late.".into(),
            key_mistake: "It was late.".into(),
            ..AuthoredLesson::default()
        };
        assert_eq!(compose(&text), "Mind what a reviewer said: It was late.");
    }

    #[test]
    fn a_summary_alone_is_a_lesson_and_nothing_is_none() {
        let text = AuthoredLesson { summary: "Orders expire.".into(), ..AuthoredLesson::default() };
        assert!(text.check().is_ok());
        assert_eq!(compose(&text), "Orders expire.");
        let blank = AuthoredLesson { summary: " ".into(), ..AuthoredLesson::default() };
        assert!(blank.check().is_err());
    }
}

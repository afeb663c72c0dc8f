//! The text of a lesson.

use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// The longest text of a field. Longer text does not help an agent and takes the place of other memories.
const LONGEST_FIELD: usize = 8_000;
const MOST_TOOLS: usize = 50;
const LONGEST_SENT: usize = 64 * 1024;

/// A lesson from the reviewer of a run.
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
    /// Refuses a lesson without text.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        self.check_as("review.reflection")
    }

    /// The same, with another field name for the error.
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

/// Limits the length of texts and removes NUL, which Postgres cannot hold.
pub(crate) fn tidy(mut text: AuthoredLesson) -> AuthoredLesson {
    for field in [&mut text.summary, &mut text.guidance, &mut text.key_mistake, &mut text.correct_action] {
        *field = field.replace('\0', "").trim().chars().take(LONGEST_FIELD).collect();
    }
    for tool in &mut text.applicable_tools {
        *tool = tool.replace('\0', "").trim().chars().take(200).collect();
    }
    text.applicable_tools.retain(|tool| !tool.is_empty());
    text.applicable_tools.truncate(MOST_TOOLS);
    text
}

/// The guidance of a lesson that consists of an action alone.
pub(crate) fn action_guidance(action: &str) -> String {
    format!("Do: {action}")
}

/// The text for clients that show one field: guidance first, then the mistake and the correct action. Never empty.
pub(crate) fn compose(text: &AuthoredLesson) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !text.guidance.is_empty() {
        parts.push(text.guidance.clone());
    }
    // Composed guidance already contains the feedback.
    if !text.key_mistake.is_empty() && !text.guidance.contains(&text.key_mistake) {
        parts.push(format!("Mistake: {}", text.key_mistake));
    }
    if !text.correct_action.is_empty() && text.guidance != action_guidance(&text.correct_action) {
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
        let (guidance, correct_action) = (action_guidance("wait"), "wait".to_owned());
        let action = AuthoredLesson { guidance, correct_action, ..AuthoredLesson::default() };
        assert_eq!(compose(&action), "Do: wait");
    }

    #[test]
    fn a_tool_has_a_name() {
        let tools = ["git", " ", "\0", " \0 ", "a\0b"].map(str::to_owned).to_vec();
        let text = tidy(AuthoredLesson { applicable_tools: tools, ..AuthoredLesson::default() });
        assert_eq!(text.applicable_tools, ["git", "ab"]);
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

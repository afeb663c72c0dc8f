//! The events that coding agents pass to their hooks, and what a hook answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// An event. Both agents use these names; other fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct HookEvent {
    /// The name of the event.
    pub(super) hook_event_name: String,
    /// The session of the agent.
    pub(super) session_id: String,
    /// The transcript of the session.
    pub(super) transcript_path: Option<PathBuf>,
    /// The folder that the agent works in.
    pub(super) cwd: Option<PathBuf>,
    /// The prompt, of `UserPromptSubmit`.
    #[serde(skip_serializing)]
    pub(super) prompt: Option<String>,
    /// The id of the prompt, as Claude Code calls it.
    prompt_id: Option<String>,
    /// The same in Codex.
    turn_id: Option<String>,
    /// The last message of the agent, of `Stop`. The transcript may not have it yet.
    pub(super) last_assistant_message: Option<String>,
    /// The subagent, if the event is about one. Its run is part of the run of the agent that called it.
    pub(super) agent_id: Option<String>,
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    /// The user sent a prompt.
    Prompt,
    /// The agent stopped.
    Stop,
    /// The session ended.
    SessionEnd,
    /// Anything else.
    Other,
}

impl HookEvent {
    pub(super) fn kind(&self) -> EventKind {
        match self.hook_event_name.as_str() {
            _ if self.agent_id.is_some() => EventKind::Other,
            "UserPromptSubmit" => EventKind::Prompt,
            "Stop" => EventKind::Stop,
            "SessionEnd" => EventKind::SessionEnd,
            _ => EventKind::Other,
        }
    }

    /// The id of the prompt within its session.
    pub(super) fn turn(&self) -> Option<&str> {
        self.prompt_id.as_deref().or(self.turn_id.as_deref()).filter(|id| !id.is_empty())
    }
}

/// The answer that passes a text to the model. Codex refuses an answer with any other field.
pub(super) fn context(text: &str) -> Value {
    json!({ "hookSpecificOutput": { "hookEventName": "UserPromptSubmit", "additionalContext": text } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_both_agents_are_read() {
        let claude = r#"{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/repo","permission_mode":"default",
            "prompt_id":"p1","hook_event_name":"UserPromptSubmit","prompt":"Fix it"}"#;
        let codex = r#"{"session_id":"s","turn_id":"t1","transcript_path":null,"cwd":"/repo","model":"gpt-x",
            "permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":null}"#;
        let [claude, codex] = [claude, codex].map(|text| serde_json::from_str::<HookEvent>(text).unwrap());

        assert_eq!(
            (claude.kind(), claude.turn(), claude.prompt.as_deref()),
            (EventKind::Prompt, Some("p1"), Some("Fix it"))
        );
        assert_eq!(
            (codex.kind(), codex.turn(), codex.transcript_path.as_ref()),
            (EventKind::Stop, Some("t1"), None)
        );
    }

    #[test]
    fn events_of_subagents_and_unknown_events_are_ignored_and_the_prompt_is_not_kept() {
        let subagent =
            r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","agent_id":"a","prompt":"x"}"#;
        let subagent: HookEvent = serde_json::from_str(subagent).unwrap();
        let later: HookEvent = serde_json::from_str(r#"{"hook_event_name":"Dream"}"#).unwrap();

        assert_eq!([subagent.kind(), later.kind()], [EventKind::Other; 2]);
        assert!(!serde_json::to_string(&subagent).unwrap().contains("prompt\":\"x"));
    }
}

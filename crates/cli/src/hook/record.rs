//! The trace of a run.

use std::collections::BTreeMap;
use std::time::SystemTime;

use anyhow::Context;
use reflect_api::CreateTrace;
use reflect_trajectory::TranscriptRun;
use reflect_types::{RunKeyName, TraceId};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::CodingAgent;
use super::git::Repository;
use super::identity::trace_id;
use super::mask::Mask;
use super::session::PendingPrompt;
use super::test_commands::TestReport;

/// The longest task that is sent, in bytes. The server takes 64 kB.
const LONGEST_TASK: usize = 32 * 1024;
/// The longest text of a message, in bytes. The lengths are tried in order until the messages are small enough.
const LONGEST_TEXTS: [usize; 4] = [64 * 1024, 16 * 1024, 4 * 1024, 1024];
/// The size of all messages, in bytes: half of what the server takes by default.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// The server takes 20,000.
const MOST_MESSAGES: usize = 19_000;
/// The longest value of a key that the server takes, in bytes.
const LONGEST_KEY: usize = 200;

/// A run of a session.
pub(super) struct SessionRun<'a> {
    pub(super) agent: CodingAgent,
    pub(super) session: &'a str,
    /// The id of the run within the session.
    pub(super) turn: &'a str,
    pub(super) run: &'a TranscriptRun,
    /// The prompt, or that of the run that this one continues.
    pub(super) prompt: &'a str,
    pub(super) is_continued: bool,
    pub(super) repository: &'a Repository,
    /// The prompts of the run that got lessons. The first one has the receipt of the run.
    pub(super) prompts: &'a [PendingPrompt],
    pub(super) tests: Option<&'a TestReport>,
}

impl SessionRun<'_> {
    /// The id of the trace.
    pub(super) fn trace_id(&self, now: SystemTime) -> TraceId {
        trace_id(self.agent, self.session, self.turn, self.run.started_at, now)
    }

    /// The trace, masked.
    pub(super) fn trace(&self, id: TraceId, mask: &Mask) -> anyhow::Result<CreateTrace> {
        let task = shortened(&mask.text(self.prompt), LONGEST_TASK);
        let messages =
            serde_json::to_string(&fitting(self.run.messages.clone())).context("cannot write messages")?;
        let messages = RawValue::from_string(mask.json(messages)).context("cannot mask messages")?;
        let mut trace = CreateTrace::new(task, messages);
        trace.trace_id = Some(id.as_uuid());
        trace.model.clone_from(&self.run.model);
        trace.metadata = Some(self.metadata());
        trace.keys = Some(self.keys());
        if let Some((first, more)) = self.prompts.split_first() {
            trace.retrieval_id = Some(first.retrieval_id);
            let ids: Vec<String> =
                more.iter().flat_map(|prompt| &prompt.memory_ids).map(ToString::to_string).collect();
            trace.retrieved_memory_ids = Some(ids).filter(|ids| !ids.is_empty());
        }
        Ok(trace)
    }

    /// The keys by which signals of other systems find the run.
    fn keys(&self) -> BTreeMap<RunKeyName, String> {
        let Repository { name, branch, commit } = self.repository;
        [
            ("session", Some(self.session)),
            ("repository", name.as_deref()),
            ("branch", branch.as_deref()),
            ("commit", commit.as_deref()),
        ]
        .into_iter()
        .filter_map(|(key, value)| {
            Some((key.parse().ok()?, value.filter(|value| value.len() <= LONGEST_KEY)?.to_owned()))
        })
        .collect()
    }

    fn metadata(&self) -> Map<String, Value> {
        let mut metadata: Map<String, Value> =
            self.keys().into_iter().map(|(name, value)| (name.into(), Value::String(value))).collect();
        let mut add = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
        add("agent", self.agent.name().into());
        add("turn", self.turn.into());
        if let Some(version) = &self.run.version {
            add("agent_version", version.as_str().into());
        }
        if let Some(tests) = self.tests {
            add("tests", if tests.passed { "pass" } else { "fail" }.into());
        }
        for (name, is_set) in [("interrupted", self.run.interrupted), ("continued", self.is_continued)] {
            if is_set {
                add(name, true.into());
            }
        }
        metadata
    }
}

/// The messages with texts that are short enough. All messages stay, unless there are more than the server takes.
fn fitting(mut messages: Vec<Value>) -> Vec<Value> {
    if messages.len() > MOST_MESSAGES {
        let left_out = messages.len() - MOST_MESSAGES;
        // The begin and the end say most about a run.
        let note =
            serde_json::json!({ "role": "system", "content": format!("({left_out} messages left out)") });
        messages.splice(MOST_MESSAGES / 2..MOST_MESSAGES / 2 + left_out, [note]);
    }
    for longest in LONGEST_TEXTS {
        messages.iter_mut().for_each(|message| shorten_texts(message, longest));
        let size: usize = messages.iter().map(|message| message.to_string().len()).sum();
        if size <= MOST_BYTES {
            break;
        }
    }
    messages
}

fn shorten_texts(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) if text.len() > longest => *text = shortened(text, longest),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_texts(item, longest)),
        Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| shorten_texts(field, longest)),
        _ => {}
    }
}

/// A text of at most about this many bytes: its begin and its end, and how much is left out.
pub(super) fn shortened(text: &str, longest: usize) -> String {
    if text.len() <= longest {
        return text.to_owned();
    }
    let begin = text.floor_char_boundary(longest * 2 / 3);
    let end = text.ceil_char_boundary(text.len() - longest / 3);
    format!("{}\n… ({} bytes left out) …\n{}", &text[..begin], end - begin, &text[end..])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_keeps_its_begin_and_its_end() {
        let text = format!("begin{}end", "ä".repeat(1000));
        let short = shortened(&text, 100);

        assert!(
            short.starts_with("begin") && short.ends_with("end") && short.contains("bytes left out"),
            "{short}"
        );
        assert!(short.len() < 150, "{}", short.len());
        assert_eq!(shortened("short", 100), "short");
    }

    #[test]
    fn large_runs_fit_and_keep_all_messages() {
        let message =
            json!({ "role": "user", "content": [{ "type": "tool_result", "content": "x".repeat(40_000) }] });
        let messages = fitting(vec![message; 1000]);

        assert_eq!(messages.len(), 1000);
        assert!(serde_json::to_string(&messages).unwrap().len() < MOST_BYTES + 10_000);
        let many = fitting(vec![json!({ "role": "user", "content": "x" }); MOST_MESSAGES + 500]);
        assert_eq!(many.len(), MOST_MESSAGES + 1);
        assert_eq!(many[MOST_MESSAGES / 2]["content"], "(500 messages left out)");
    }
}

//! The trace of a run.

use std::collections::BTreeMap;
use std::time::SystemTime;

use anyhow::Context;
use reflect_api::CreateTrace;
use reflect_trajectory::TranscriptRun;
use reflect_types::{RunKeyName, TraceId, json_cost};
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
/// The JSON values of all messages. The server takes 1,000,000.
const MOST_VALUES: usize = 900_000;
/// A list or an object with more items, or one that is nested deeper, is sent as text.
const MOST_ITEMS: usize = 10_000;
const DEEPEST: usize = 64;
/// The longest value of a key that the server takes, in bytes.
const LONGEST_KEY: usize = 200;
/// The longest name of a repository or a branch in the metadata, in bytes.
const LONGEST_NAME: usize = 1000;

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
    /// The version of the agent.
    pub(super) version: Option<&'a str>,
    pub(super) repository: &'a Repository,
    /// The prompts of the run that got lessons. The first one has the receipt of the run.
    pub(super) prompts: &'a [PendingPrompt],
    pub(super) tests: Option<&'a TestReport>,
}

impl SessionRun<'_> {
    /// The id of the trace.
    pub(super) fn trace_id(&self, stopped_at: SystemTime, now: SystemTime) -> TraceId {
        trace_id(self.agent, self.session, self.turn, self.run.started_at, stopped_at, now)
    }

    /// The trace, masked. Texts are cut after that: the rest of a key that was cut is not recognised.
    pub(super) fn trace(&self, id: TraceId, mask: &Mask) -> anyhow::Result<CreateTrace> {
        let task = shortened(&mask.text(self.prompt), LONGEST_TASK);
        let messages = serde_json::to_string(&self.run.messages).context("cannot write messages")?;
        let messages = serde_json::from_str(&mask.json(messages)).context("cannot mask messages")?;
        let messages = serde_json::to_string(&fitting(messages)).context("cannot write messages")?;
        let mut trace = CreateTrace::new(task, RawValue::from_string(messages)?);
        trace.trace_id = Some(id.as_uuid());
        trace.model.clone_from(&self.run.model);
        trace.metadata = Some(self.metadata(mask));
        trace.keys = Some(self.keys(mask));
        if let Some((first, more)) = self.prompts.split_first() {
            trace.retrieval_id = Some(first.retrieval_id);
            let ids: Vec<String> =
                more.iter().flat_map(|prompt| &prompt.memory_ids).map(ToString::to_string).collect();
            trace.retrieved_memory_ids = Some(ids).filter(|ids| !ids.is_empty());
        }
        Ok(trace)
    }

    /// The keys by which signals of other systems find the run. A commit only if it was made during the run: a result of CI
    /// about an older commit says nothing about a run that began with it. No value that contains a secret.
    fn keys(&self, mask: &Mask) -> BTreeMap<RunKeyName, String> {
        let Repository { name, branch, commit, committed_at } = self.repository;
        let is_new = committed_at.zip(self.run.started_at).is_some_and(|(at, begun)| at > begun.timestamp());
        let is_plain = |value: &&str| mask.text(value) == **value;
        let keys: [(&str, Option<&str>); 4] = [
            ("session", Some(self.session)),
            ("repository", name.as_deref().filter(is_plain)),
            ("branch", branch.as_deref().filter(is_plain)),
            ("commit", commit.as_deref().filter(|_| is_new)),
        ];
        // The server refuses a run with another value.
        let is_valid =
            |value: &&str| (1..=LONGEST_KEY).contains(&value.len()) && !value.chars().any(char::is_control);
        keys.into_iter()
            .filter_map(|(key, value)| Some((key.parse().ok()?, value.filter(is_valid)?.to_owned())))
            .collect()
    }

    fn metadata(&self, mask: &Mask) -> Map<String, Value> {
        let mut metadata = Map::new();
        let mut add = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
        let Repository { name, branch, commit, .. } = self.repository;
        for (field, value) in [("repository", name), ("branch", branch), ("commit", commit)] {
            if let Some(value) = value {
                add(field, shortened(&mask.text(value), LONGEST_NAME).into());
            }
        }
        add("session", self.session.into());
        add("agent", self.agent.name().into());
        add("turn", self.turn.into());
        if let Some(version) = self.version {
            add("agent_version", version.into());
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

/// The messages with texts that are short enough. All messages stay, unless the server would not take them: a run that it
/// refuses is lost.
fn fitting(mut messages: Vec<Value>) -> Vec<Value> {
    let all = messages.len();
    let mut kept = MOST_MESSAGES;
    if all > kept {
        messages = begin_and_end(&messages, kept, all);
    }
    for longest in LONGEST_TEXTS {
        messages.iter_mut().for_each(|message| shorten_texts(message, longest, DEEPEST));
        if fits(&messages) {
            return messages;
        }
    }
    kept = kept.min(all);
    while kept > 0 && !fits(&messages) {
        kept /= 2;
        messages = begin_and_end(&messages, kept, all);
    }
    messages
}

/// So many messages, of all that there were: the begin and the end say most about a run.
fn begin_and_end(messages: &[Value], kept: usize, all: usize) -> Vec<Value> {
    let begin = kept / 2;
    let end = messages.len() - (kept - begin);
    let note = format!("({} messages left out)", all - kept);
    let note = serde_json::json!({ "role": "system", "content": note });
    [&messages[..begin], &[note], &messages[end..]].concat()
}

fn fits(messages: &[Value]) -> bool {
    let (mut bytes, mut values) = (0, 0);
    for message in messages {
        let text = message.to_string();
        bytes += text.len();
        values += json_cost(text.as_bytes()).values;
    }
    bytes <= MOST_BYTES && values <= MOST_VALUES
}

fn shorten_texts(value: &mut Value, longest: usize, levels: usize) {
    let is_large = match value {
        Value::Array(items) => levels == 0 || items.len() > MOST_ITEMS,
        Value::Object(fields) => levels == 0 || fields.len() > MOST_ITEMS,
        _ => false,
    };
    if is_large {
        *value = Value::String(value.to_string());
    }
    match value {
        Value::String(text) if text.len() > longest => *text = shortened(text, longest),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_texts(item, longest, levels - 1)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(_, field)| shorten_texts(field, longest, levels - 1));
        }
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

    use super::super::options::Masking;
    use super::super::state::State;
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

    #[test]
    fn runs_that_the_server_would_refuse_lose_messages_in_the_middle_or_become_text() {
        let block = json!({ "type": "text", "text": "x".repeat(900) });
        let message = json!({ "role": "user", "content": vec![block; 40] });
        let mut messages = vec![message; 600];
        messages.push(json!({ "role": "assistant", "content": "Done." }));
        let cut = fitting(messages);
        assert!(fits(&cut) && cut.len() > 100, "{}", cut.len());
        assert_eq!(cut.last().unwrap()["content"], "Done.");
        let left_out = 601 - (cut.len() - 1);
        assert_eq!(cut[(cut.len() - 1) / 2]["content"], format!("({left_out} messages left out)"));

        let mut deep = json!(1);
        for _ in 0..100 {
            deep = json!([deep]);
        }
        let odd = fitting(vec![json!({ "input": vec![0; MOST_ITEMS + 1], "deep": deep })]);
        assert!(odd[0]["input"].is_string() && odd[0].to_string().len() < 70_000);
        assert!(json_cost(odd[0].to_string().as_bytes()).depth < 70);
    }

    fn run_of<'a>(run: &'a TranscriptRun, session: &'a str, repository: &'a Repository) -> SessionRun<'a> {
        SessionRun {
            agent: CodingAgent::Codex,
            session,
            turn: "t1",
            run,
            prompt: "Fix it",
            is_continued: false,
            version: None,
            repository,
            prompts: &[],
            tests: None,
        }
    }

    fn mask() -> (Mask, std::path::PathBuf) {
        let folder = std::env::temp_dir().join(format!("reflect-record-{}", uuid::Uuid::now_v7()));
        let state = State::open(folder.clone()).unwrap();
        (Mask::new(Masking::Credentials, &state).unwrap(), folder)
    }

    #[test]
    fn a_commit_is_a_key_of_the_run_that_made_it_and_values_that_the_server_refuses_are_none() {
        let (mask, folder) = mask();
        let started_at = chrono::DateTime::from_timestamp(1000, 500);
        let run = TranscriptRun { started_at, ..TranscriptRun::default() };
        let names = |session: &str, committed_at| {
            let repository = Repository {
                name: Some("git.example/ghp_16C7e42F292c6912E7710c838347Ae178B4a".to_owned()),
                branch: Some("x".repeat(300)),
                commit: Some("0a1b".to_owned()),
                committed_at: Some(committed_at),
            };
            let run = run_of(&run, session, &repository);
            let metadata = Value::Object(run.metadata(&mask));
            assert!(metadata["commit"] == "0a1b" && !metadata.to_string().contains("ghp_"), "{metadata}");
            run.keys(&mask).into_keys().map(String::from).collect::<Vec<_>>()
        };

        assert_eq!(names("s", 1001), ["commit", "session"]);
        assert_eq!(names("s", 1000), ["session"]);
        assert!(names("", 999).is_empty() && names("a\nb", 999).is_empty());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_part_of_a_key_is_left_in_a_text_that_is_cut() {
        let (mask, folder) = mask();
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(40);
        let key = format!("-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----");
        let text = format!("{}\n{key}\n{}", "x".repeat(60_000), "y".repeat(20_000));
        let run = TranscriptRun {
            messages: vec![json!({ "role": "user", "content": text })],
            ..TranscriptRun::default()
        };
        let repository = Repository::default();

        let trace = run_of(&run, "s", &repository).trace(TraceId::generate(), &mask).unwrap();

        assert!(!trace.trajectory.get().contains("MIIE"));
        assert!(trace.trajectory.get().contains("bytes left out"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

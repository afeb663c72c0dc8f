//! Transcripts of Codex.
//!
//! A line has a time, a type and a payload. The payload of a `response_item` is an item of the Responses API. A turn
//! begins with an event that names it. Before the first prompt of a session there are messages with instructions and
//! facts about the machine, which are not part of a run.

use std::collections::HashMap;

use serde_json::Value;

use super::Transcript;
use super::entries::{entries, has_memories, text_of, time, without_bytes};
use super::run::RunList;
use super::shell::{CommandCalls, command_line, number_after};
use crate::fields::{Object, take_object, word};

/// Begins of messages with the role of the user that the program wrote.
const CONTEXT: [&str; 8] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<skill>",
    "<turn_aborted>",
    "<subagent_notification>",
];
/// Fields of items that say nothing about the run.
const INTERNAL: [&str; 3] = ["id", "internal_chat_message_metadata_passthrough", "metadata"];

pub(super) fn read(part: &[u8]) -> Transcript {
    let (entries, end) = entries(part);
    let mut reader = Reader::default();
    for (begin, mut entry) in entries {
        reader.at = begin;
        let Some(payload) = take_object(&mut entry, &["payload"]) else { continue };
        reader.line(&entry, payload);
    }
    reader.runs.finish(end)
}

#[derive(Default)]
struct Reader {
    runs: RunList,
    calls: CommandCalls,
    /// Commands that were still running when their call ended, by the session of their process.
    running: HashMap<i64, usize>,
    /// Calls that read the output of such a command, and its session.
    polls: HashMap<String, i64>,
    version: Option<String>,
    /// Where the line begins.
    at: usize,
}

impl Reader {
    fn line(&mut self, line: &Object, payload: Object) {
        self.runs.see(|| time(line));
        match word(line, "type") {
            "session_meta" => {
                self.version =
                    Some(word(&payload, "cli_version")).filter(|text| !text.is_empty()).map(str::to_owned);
            }
            "turn_context" => {
                self.turn(&payload, line);
                let model = word(&payload, "model");
                if !model.is_empty() {
                    self.runs.current().model = Some(model.to_owned());
                }
            }
            "event_msg" => self.event(&payload, line),
            "response_item" => self.item(line, payload),
            _ => {}
        }
    }

    /// Begins a run, if this is another turn.
    fn turn(&mut self, payload: &Object, line: &Object) {
        let turn = word(payload, "turn_id");
        if turn.is_empty() || self.runs.turn() == Some(turn) {
            return;
        }
        self.calls.clear();
        self.running.clear();
        self.polls.clear();
        self.runs.begin(turn, self.at, time(line)).version.clone_from(&self.version);
    }

    fn event(&mut self, payload: &Object, line: &Object) {
        match word(payload, "type") {
            "task_started" | "turn_started" => self.turn(payload, line),
            "turn_aborted" => self.runs.current().interrupted = true,
            "item_completed" => self.completed(payload),
            "user_message" => {
                let run = self.runs.current();
                if run.prompt.is_empty() && run.turn.is_some() {
                    word(payload, "message").clone_into(&mut run.prompt);
                }
            }
            _ => {}
        }
    }

    /// Newer versions write how a command ended, also if a program of the agent ran it and no call of its own.
    fn completed(&mut self, payload: &Object) {
        let Some(item) = payload.get("item").and_then(Value::as_object) else { return };
        if word(item, "type") != "CommandExecution" {
            return;
        }
        let (run, call) = (self.runs.current(), word(item, "id"));
        let exit_code =
            item.get("exit_code").and_then(Value::as_i64).and_then(|code| i32::try_from(code).ok());
        if self.calls.find(run, call).is_none()
            && let Some(line) = command_line(&Value::Object(item.clone()))
        {
            self.calls.add(run, call, line);
        }
        if let Some((_, command)) = self.calls.find(run, call) {
            command.ended(exit_code, word(item, "aggregated_output"));
        }
    }

    fn item(&mut self, line: &Object, mut item: Object) {
        let kind = word(&item, "type").to_owned();
        if kind == "message" && !self.message(&item) {
            return;
        }
        if kind == "reasoning" && is_empty_thought(&item) {
            return;
        }
        let mut failed = false;
        if is_call(&kind) {
            self.call(&item);
        } else if kind.ends_with("_output") {
            failed = self.result(&item).is_some_and(|code| code != 0);
        } else if matches!(kind.as_str(), "compaction" | "compaction_summary" | "context_compaction") {
            return;
        }
        item.retain(|name, _| !INTERNAL.contains(&name.as_str()));
        let mut message = Value::Object(item);
        without_bytes(&mut message);
        if let Some(at) = line.get("timestamp") {
            message["timestamp"] = at.clone();
        }
        if failed {
            // Only the text of the output says so.
            message["is_error"] = Value::Bool(true);
        }
        self.runs.current().messages.push(message);
    }

    /// Whether a message is part of the run. The first message of the user is its prompt.
    fn message(&mut self, item: &Object) -> bool {
        let text = item.get("content").map(text_of).unwrap_or_default();
        let run = self.runs.current();
        match word(item, "role") {
            "assistant" => {
                run.answered = true;
                true
            }
            "user" if CONTEXT.iter().any(|begin| text.trim_start().starts_with(begin)) => false,
            "user" => {
                if run.prompt.is_empty() && run.turn.is_some() {
                    text.trim().clone_into(&mut run.prompt);
                }
                true
            }
            // What a hook passed to the agent has the role of the developer, like the instructions of the program.
            _ => has_memories(&text),
        }
    }

    fn call(&mut self, item: &Object) {
        let run = self.runs.current();
        (run.answered, run.acted) = (true, true);
        let call = word(item, "call_id");
        let arguments = match item.get("arguments") {
            Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
            Some(other) => other.clone(),
            None => item.get("action").cloned().unwrap_or_default(),
        };
        match word(item, "name") {
            "write_stdin" => {
                if let Some(session) = arguments.get("session_id").and_then(Value::as_i64) {
                    self.polls.insert(call.to_owned(), session);
                }
            }
            "exec_command" | "shell" | "shell_command" | "container.exec" | "local_shell" | "" => {
                if let Some(command) = command_line(&arguments) {
                    self.calls.add(run, call, command);
                }
            }
            _ => {}
        }
    }

    /// Returns the exit code, if this is the end of a command.
    fn result(&mut self, item: &Object) -> Option<i32> {
        let call = word(item, "call_id");
        let output = item.get("output").map(output_text).unwrap_or_default();
        let ended = exit_code(&output);
        let (head, said) = head_and_rest(&output);
        let run = self.runs.current();
        if let Some((place, command)) = self.calls.find(run, call) {
            command.ended(ended, said);
            if let Some(session) = number_after(head, "Process running with session ID ") {
                self.running.insert(i64::from(session), place);
            }
        } else if let Some(session) = self.polls.remove(call)
            && ended.is_some()
            && let Some(command) = self.running.remove(&session).and_then(|place| run.commands.get_mut(place))
        {
            command.ended(ended, said);
        }
        ended
    }
}

fn is_call(kind: &str) -> bool {
    kind.ends_with("_call")
}

/// A thought that only the provider can read.
fn is_empty_thought(item: &Object) -> bool {
    let is_empty = |name: &str| match item.get(name) {
        Some(Value::Array(parts)) => parts.is_empty(),
        other => other.is_none_or(Value::is_null),
    };
    is_empty("summary") && is_empty("content")
}

/// The output of a tool: a text, or blocks of text.
fn output_text(output: &Value) -> String {
    match output {
        Value::Object(fields) => fields.get("content").map(text_of).unwrap_or_default(),
        other => text_of(other),
    }
}

/// The lines that the program writes before the output of a command, and the output. Other texts have no head.
fn head_and_rest(output: &str) -> (&str, &str) {
    let mut end = 0;
    for line in output.split_inclusive('\n') {
        let begin = end;
        end += line.len();
        if line.trim_end() == "Output:" {
            return (&output[..begin], &output[end..]);
        }
    }
    ("", output)
}

/// The exit code in the output of a command: in a line of its head, or in the older form, in JSON.
fn exit_code(output: &str) -> Option<i32> {
    let (head, _) = head_and_rest(output);
    number_after(head, "Process exited with code ").or_else(|| number_after(head, "Exit code: ")).or_else(
        || {
            let older: Value = serde_json::from_str(output).ok()?;
            let code = older.get("metadata")?.get("exit_code")?.as_i64()?;
            i32::try_from(code).ok()
        },
    )
}

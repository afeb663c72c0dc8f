//! Transcripts of Claude Code.
//!
//! An entry has a type, an id, and a message of the Anthropic API. One answer of the model is written as one entry per
//! block, with the same message id. Entries of subagents are marked as a side chain, and are not part of the run: the run
//! has the call of the subagent and its result.

use serde_json::{Value, json};

use super::Transcript;
use super::entries::{entries, flag, has_memories, message, text_of, time, without_bytes};
use super::run::{RunList, TranscriptRun};
use super::shell::{CommandCalls, number_after};
use crate::fields::{Object, word};

/// Begins of texts that are no prompts: output of commands that the user ran, and notes of the program.
const NO_PROMPTS: [&str; 8] = [
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<task-notification>",
    INTERRUPTED,
];
const INTERRUPTED: &str = "[Request interrupted by user";
/// Begins of blocks that an editor or the program adds to a prompt.
const ADDED: [&str; 3] = ["<system-reminder>", "<ide_opened_file>", "<ide_selection>"];
/// The model of answers that the program itself wrote, such as errors of the API.
const NO_MODEL: &str = "<synthetic>";

pub(super) fn read(part: &[u8]) -> Transcript {
    let (entries, end) = entries(part);
    let mut reader = Reader::default();
    for (begin, entry) in entries {
        reader.at = begin;
        reader.entry(entry);
    }
    reader.runs.finish(end)
}

#[derive(Default)]
struct Reader {
    runs: RunList,
    calls: CommandCalls,
    /// The id of the answer whose blocks are being read.
    answer: String,
    /// Where the line of the entry begins.
    at: usize,
}

impl Reader {
    fn entry(&mut self, entry: Object) {
        self.runs.see(|| time(&entry));
        // A message of another agent of a team is part of that agent's run.
        if flag(&entry, "isSidechain") || entry.get("teamName").is_some_and(Value::is_string) {
            return;
        }
        match word(&entry, "type") {
            "user" if !flag(&entry, "isMeta") && !flag(&entry, "isCompactSummary") => self.user(entry),
            "assistant" => self.assistant(entry),
            "attachment" => self.attachment(&entry),
            _ => {}
        }
    }

    fn user(&mut self, mut entry: Object) {
        let content = entry.get_mut("message").and_then(|message| message.get_mut("content"));
        let Some(mut content) = content.map(Value::take) else { return };
        let is_result = |block: &Value| block.get("type").and_then(Value::as_str) == Some("tool_result");
        if content.as_array().is_some_and(|blocks| blocks.iter().any(is_result)) {
            self.results(&entry, content);
            return;
        }
        if let Value::Array(blocks) = &mut content {
            blocks.retain(|block| !is_added(block));
            if blocks.is_empty() {
                return;
            }
        }
        let text = prompt_of(&text_of(&content));
        if text.starts_with(INTERRUPTED) {
            self.runs.current().interrupted = true;
            return;
        }
        let is_prompt = !text.is_empty() && !NO_PROMPTS.iter().any(|begin| text.starts_with(begin));
        let id = ["promptId", "uuid"].map(|name| word(&entry, name)).into_iter().find(|id| !id.is_empty());
        if let Some(id) = id.filter(|id| is_prompt && self.runs.turn() != Some(id)) {
            self.calls.clear();
            let run = self.runs.begin(id, self.at, time(&entry));
            run.prompt.clone_from(&text);
            run.version = Some(word(&entry, "version")).filter(|text| !text.is_empty()).map(str::to_owned);
        }
        without_bytes(&mut content);
        let content = if content.is_string() { Value::String(text) } else { content };
        self.push("user", content, entry.get("timestamp"));
    }

    /// Results of tools. They are blocks of a message with the role of the user.
    fn results(&mut self, entry: &Object, mut content: Value) {
        for block in content.as_array().into_iter().flatten() {
            let call = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
            if let Some((_, command)) = self.calls.find(self.runs.current(), call) {
                let output = block.get("content").map(text_of).unwrap_or_default();
                command.ended(exit_code(block, &output, entry.get("toolUseResult")), &output);
            }
        }
        without_bytes(&mut content);
        self.push("user", content, entry.get("timestamp"));
    }

    fn assistant(&mut self, mut entry: Object) {
        let at = entry.get("timestamp").cloned();
        let Some(Value::Object(mut answer)) = entry.remove("message") else { return };
        let Some(mut content) = answer.remove("content") else { return };
        without_bytes(&mut content);
        let run = self.runs.current();
        run.answered = true;
        let model = word(&answer, "model");
        if !model.is_empty() && model != NO_MODEL {
            run.model = Some(model.to_owned());
        }
        let blocks = content.as_array().into_iter().flatten();
        for call in blocks.filter(|block| block.get("type").and_then(Value::as_str) == Some("tool_use")) {
            run.acted = true;
            if let (Some(id), Some(command)) = (call.get("id").and_then(Value::as_str), shell_command(call)) {
                self.calls.add(run, id, command);
            }
        }
        // The blocks of one answer follow each other, unless results of its first calls arrived in between.
        let id = word(&answer, "id").to_owned();
        let joined = !id.is_empty() && id == self.answer && join(run, &mut content);
        self.answer = id;
        if !joined {
            let mut message = json!({ "role": "assistant", "content": content });
            for (name, value) in [("timestamp", at), ("usage", answer.remove("usage"))] {
                if let Some(value) = value {
                    message[name] = value;
                }
            }
            run.messages.push(message);
        }
    }

    /// What the program added to the conversation: the lessons that a hook passed to the agent, and a prompt that the user
    /// wrote while the agent worked.
    fn attachment(&mut self, entry: &Object) {
        let Some(attachment) = entry.get("attachment").and_then(Value::as_object) else { return };
        match word(attachment, "type") {
            "hook_additional_context" => {
                let texts = attachment.get("content").and_then(Value::as_array).into_iter().flatten();
                for text in texts.filter_map(Value::as_str).filter(|text| has_memories(text)) {
                    self.runs.current().messages.push(message("system", text, entry.get("timestamp")));
                }
            }
            "queued_command" => {
                let prompt = attachment.get("prompt").map(text_of).filter(|text| !text.is_empty());
                if let Some(prompt) = prompt {
                    self.push("user", Value::String(prompt), entry.get("timestamp"));
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, role: &str, content: Value, at: Option<&Value>) {
        let mut message = json!({ "role": role, "content": content });
        if let Some(at) = at {
            message["timestamp"] = at.clone();
        }
        self.runs.current().messages.push(message);
    }
}

fn is_added(block: &Value) -> bool {
    let text = block.get("text").and_then(Value::as_str).unwrap_or_default().trim_start();
    ADDED.iter().any(|begin| text.starts_with(begin))
}

/// A command such as `/deploy staging` is stored with tags. Other prompts are as the user wrote them.
fn prompt_of(text: &str) -> String {
    let tagged = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    match tagged("command-name") {
        Some(name) => format!("{name} {}", tagged("command-args").unwrap_or_default()).trim_end().to_owned(),
        None => text.trim().to_owned(),
    }
}

fn shell_command(call: &Value) -> Option<String> {
    let is_shell = call.get("name").and_then(Value::as_str) == Some("Bash");
    let input = call.get("input").filter(|_| is_shell)?;
    Some(input.get("command")?.as_str()?.to_owned())
}

/// The exit code of a command. It is written only for commands that failed.
fn exit_code(block: &Value, output: &str, details: Option<&Value>) -> Option<i32> {
    let is_set = |name: &str| {
        let value = details.and_then(|details| details.get(name));
        value.is_some_and(|value| !value.is_null() && *value != Value::Bool(false))
    };
    if block.get("is_error").and_then(Value::as_bool) == Some(true) {
        // The lines after it are those of the command.
        return number_after(output.lines().next()?, "Exit code ");
    }
    // `returnCodeInterpretation`: an exit code that is not 0 and is no error, such as that of `grep` without a match.
    let is_unknown = ["interrupted", "backgroundTaskId", "returnCodeInterpretation", "noExitStatus"]
        .into_iter()
        .any(is_set);
    (!is_unknown).then_some(0)
}

/// Adds further blocks to the last message, if that is the same answer.
fn join(run: &mut TranscriptRun, content: &mut Value) -> bool {
    let last = run.messages.last_mut().filter(|last| last["role"] == "assistant");
    let (Some(last), Some(more)) = (last, content.as_array_mut()) else { return false };
    match last["content"].as_array_mut() {
        Some(blocks) => {
            blocks.append(more);
            true
        }
        None => false,
    }
}

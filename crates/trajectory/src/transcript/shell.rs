//! Commands that an agent ran in a shell, and how they ended.

use std::collections::HashMap;

use serde_json::Value;

use super::run::TranscriptRun;

/// A command that an agent ran in a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
    /// The command line.
    pub command: String,
    /// The exit code. `None` if it is not known: the command runs in the background, was interrupted, or was not allowed.
    pub exit_code: Option<i32>,
    /// Its output. It is not masked: cut it after it was masked, so that no part of a secret is left.
    pub output: String,
}

impl ShellCommand {
    /// Stores how it ended. A command that goes on after its call may get a result more than once.
    pub(super) fn ended(&mut self, exit_code: Option<i32>, output: &str) {
        self.exit_code = exit_code.or(self.exit_code);
        output.trim().clone_into(&mut self.output);
    }
}

/// The commands of a run by the id of their call: their places in the list of the run.
#[derive(Debug, Default)]
pub(super) struct CommandCalls {
    places: HashMap<String, usize>,
}

impl CommandCalls {
    /// Adds a command of a call.
    pub(super) fn add(&mut self, run: &mut TranscriptRun, call: &str, command: String) {
        self.places.insert(call.to_owned(), run.commands.len());
        run.commands.push(ShellCommand { command, exit_code: None, output: String::new() });
    }

    /// The place of the command of a call, and the command.
    pub(super) fn find<'a>(
        &self,
        run: &'a mut TranscriptRun,
        call: &str,
    ) -> Option<(usize, &'a mut ShellCommand)> {
        let place = *self.places.get(call)?;
        Some((place, run.commands.get_mut(place)?))
    }

    /// Forgets all calls, because another run has begun.
    pub(super) fn clear(&mut self) {
        self.places.clear();
    }
}

/// The number after these words at the begin of a line.
pub(super) fn number_after(text: &str, words: &str) -> Option<i32> {
    let rest = text.lines().find_map(|line| line.strip_prefix(words))?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '-').unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

/// The command line in the arguments of a call: a text, or the words of a command. The words `bash -lc` are left out.
pub(super) fn command_line(arguments: &Value) -> Option<String> {
    let command = ["command", "cmd"].iter().find_map(|name| arguments.get(*name))?;
    match command {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, line] if is_shell(shell) && flag.starts_with('-') => Some((*line).to_owned()),
                [] => None,
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

fn is_shell(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    matches!(name, "bash" | "sh" | "zsh" | "dash" | "fish")
}

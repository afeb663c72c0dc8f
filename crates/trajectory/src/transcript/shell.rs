//! Commands that an agent ran in a shell, and how they ended.

use std::collections::HashMap;

use serde_json::Value;

use super::run::{ShellCommand, TranscriptRun};

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

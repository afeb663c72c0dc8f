//! The command line of a hook in a settings file.

use std::path::Path;

use clap::{Args, FromArgMatches};

use super::super::CodingAgent;
use super::super::options::HookOptions;
use super::super::shell_line;
use super::place::Level;
use crate::environment;
use crate::failure::Failure;

/// The name of this program.
const PROGRAM: &str = "reflect";

/// A command line that is being installed.
pub(super) struct HookCommand {
    pub(super) line: String,
    /// Whether the shell does not find the program.
    pub(super) is_missing: bool,
    options: HookOptions,
}

impl HookCommand {
    pub(super) fn new(agent: CodingAgent, level: Level, flags: &[String]) -> anyhow::Result<Self> {
        if flags.iter().any(|flag| flag.starts_with("--api-key")) {
            return Err(Failure::usage("--api-key would be stored in the settings file")
                .fix("set REFLECT_API_KEY in the environment of the agent")
                .into());
        }
        let options = options(flags)?;
        let on_path = is_on_path();
        // A file for everyone must not name a folder of this machine.
        let program = match (on_path, level) {
            (true, _) | (false, Level::Project) => PROGRAM.to_owned(),
            (false, Level::User | Level::Local) => quoted(&std::env::current_exe()?.display().to_string()),
        };
        let words = flags.iter().map(|flag| quoted(flag));
        let begin = [program, "hook".to_owned(), agent.name().to_owned()];
        let line = begin.into_iter().chain(words).collect::<Vec<_>>().join(" ");
        Ok(Self { line, is_missing: !on_path && level == Level::Project, options })
    }

    /// Whether the hook would find its server and its key. Sends nothing.
    pub(super) fn check_connection(&self) -> anyhow::Result<()> {
        self.options.connection.client().map(drop)
    }
}

/// The options that these flags mean.
fn options(flags: &[String]) -> anyhow::Result<HookOptions> {
    let command = clap::Command::new("flags").no_binary_name(true);
    let command = environment::without_empty_variables(HookOptions::augment_args(command));
    let parsed =
        command.try_get_matches_from(flags).and_then(|matches| HookOptions::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let text = error.render().to_string();
        let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().to_owned();
        Failure::usage(message).fix("run `reflect hook claude-code --help` to see the flags").into()
    })
}

/// Whether the name of this program leads to this program.
fn is_on_path() -> bool {
    let own = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let path = environment::variable("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(PROGRAM)).find(|file| file.is_file());
    own.is_some() && found.and_then(|file| std::fs::canonicalize(file).ok()) == own
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=,@%+".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Whether a command line in a settings file is a hook of this program for this agent.
pub(super) fn is_own(line: &str, agent: CodingAgent) -> bool {
    let commands = shell_line::commands(line).unwrap_or_default();
    let Some(words) = commands.first().map(|command| &command.words) else { return false };
    let assignments = words.iter().take_while(|word| is_assignment(word)).count();
    let words = &words[assignments..];
    let program = words.first().and_then(|word| Path::new(word).file_name());
    program.is_some_and(|name| name == PROGRAM)
        && words.get(1).is_some_and(|word| word == "hook")
        && words.get(2).is_some_and(|word| word == agent.name())
}

/// Whether a word before a command sets a variable for it.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|letter: char| letter.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_hooks_are_recognised_whatever_the_folder_and_the_flags() {
        for line in [
            "reflect hook codex",
            "/opt/x/reflect hook codex --project 'a b'",
            "'/my dir/reflect' hook codex",
            "REFLECT_PROJECT_ID=x reflect hook codex",
            "A= _B2='c d' /opt/x/reflect hook codex --wait",
        ] {
            assert!(is_own(line, CodingAgent::Codex), "{line}");
            assert!(!is_own(line, CodingAgent::ClaudeCode), "{line}");
        }
        for line in [
            "reflect hook",
            "echo reflect hook codex",
            "reflect-x hook codex",
            "",
            "reflect spool replay",
            "A=b",
            "A=reflect hook codex",
            "2=b reflect hook codex",
            "a-b=c reflect hook codex",
        ] {
            assert!(!is_own(line, CodingAgent::Codex), "{line}");
        }
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        for (word, expected) in
            [("--project", "--project"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), expected);
        }
        let line = quoted("it's a b");
        assert_eq!(shell_line::commands(&line).unwrap()[0].words, ["it's a b"]);
    }

    #[test]
    fn flags_are_checked_and_keys_are_refused() {
        let new = |flags: &[&str]| {
            let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
            HookCommand::new(CodingAgent::Codex, Level::Project, &flags)
        };

        let line = new(&["--project", "shop", "--test-command", "just ci"]).ok().map(|command| command.line);
        assert_eq!(line.as_deref(), Some("reflect hook codex --project shop --test-command 'just ci'"));
        for flags in [&["--api-key", "rf_x"][..], &["--api-key=rf_x"], &["--projekt", "x"]] {
            assert!(new(flags).is_err(), "{flags:?}");
        }
    }
}

//! `reflect hook`: gives a coding agent the lessons for its prompt, and records its runs.
//!
//! The agent's program starts this binary at its events and passes the event as JSON. On a prompt, the lessons for it are
//! written to stdout. When the agent stops, the event is kept in the state folder, and a process in the background reads
//! the transcript, stores its runs in the spool and sends them. A hook never fails: its exit code is 0, and errors are
//! written to stderr only with `--debug`.

mod delivery;
mod entry;
mod event;
#[cfg(test)]
mod fuzz;
mod git;
mod identity;
mod install;
mod instructions;
mod mask;
mod options;
mod outcome;
mod prompt;
mod reading;
mod record;
mod report;
mod session;
mod shell_line;
mod state;
mod stop;
mod test_commands;
mod whole_files;

use clap::{Subcommand, ValueEnum};
use reflect_trajectory::TranscriptFormat;
use serde::{Deserialize, Serialize};

pub(crate) use self::entry::intercept;
use self::install::{Install, List, Remove};
use self::instructions::Print;
use self::options::HookOptions;
use crate::output::Output;

/// Give a coding agent the lessons for its prompt, and record its runs.
#[derive(Debug, Subcommand)]
pub(crate) enum Hook {
    /// Handle an event of Claude Code, given as JSON on stdin. Claude Code calls this after `reflect hook install`.
    ClaudeCode(Box<HookOptions>),
    /// Handle an event of Codex, given as JSON on stdin. Codex calls this after `reflect hook install`.
    Codex(Box<HookOptions>),
    /// Add the hooks to the settings of a coding agent. Shows what changes; repeating it changes nothing.
    Install(Install),
    /// Show where the hooks are installed.
    List(List),
    /// Remove the hooks from the settings of a coding agent.
    Remove(Remove),
    /// Print instructions for an agent without hooks that uses the MCP server.
    Print(Print),
}

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum CodingAgent {
    /// Claude Code of Anthropic.
    ClaudeCode,
    /// Codex of OpenAI.
    Codex,
}

impl CodingAgent {
    const ALL: [Self; 2] = [Self::ClaudeCode, Self::Codex];

    /// The name of its command, and of it in metadata.
    const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// The name for people.
    const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
        }
    }

    const fn format(self) -> TranscriptFormat {
        match self {
            Self::ClaudeCode => TranscriptFormat::ClaudeCode,
            Self::Codex => TranscriptFormat::Codex,
        }
    }
}

pub(crate) fn run(hook: Hook, output: &Output) -> anyhow::Result<()> {
    match hook {
        Hook::ClaudeCode(options) => entry::handle(CodingAgent::ClaudeCode, &options),
        Hook::Codex(options) => entry::handle(CodingAgent::Codex, &options),
        Hook::Install(arguments) => return install::install(&arguments, output),
        Hook::List(arguments) => return install::list(&arguments, output),
        Hook::Remove(arguments) => return install::remove(&arguments, output),
        Hook::Print(arguments) => return instructions::print(&arguments, output),
    }
    Ok(())
}

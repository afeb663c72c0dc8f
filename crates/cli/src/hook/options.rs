//! The flags of a hook.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use reflect_sdk::ReflectClientBuilder;
use serde::{Deserialize, Serialize};

use crate::connection::Connection;
use crate::environment;
use crate::failure::{Failure, Kind};
use crate::spool::SpoolLocation;

/// The flags of `reflect hook claude-code` and `codex`.
#[derive(Debug, Args)]
pub(crate) struct HookOptions {
    #[command(flatten)]
    pub(super) connection: Connection,
    #[command(flatten)]
    pub(super) place: SpoolLocation,
    /// What is masked on this machine, before anything is stored or sent. The server masks credentials too, and personal data
    /// if the project says so.
    #[arg(long, env = "REFLECT_HOOK_MASK", value_name = "WHAT", value_enum, default_value_t = Masking::Credentials)]
    pub(super) mask: Masking,
    /// A command that runs tests, besides the usual ones such as `cargo test` and `pytest`. Its exit code becomes a signal
    /// about the run. Repeatable.
    #[arg(long, env = "REFLECT_HOOK_TEST_COMMANDS", value_name = "COMMAND", value_delimiter = ',')]
    pub(super) test_command: Vec<String>,
    /// The maximum number of tokens of lessons.
    #[arg(long, value_name = "TOKENS", default_value_t = 1500, value_parser = clap::value_parser!(u32).range(100..=10_000))]
    pub(super) max_tokens: u32,
    /// After this time the agent continues without lessons, in milliseconds.
    #[arg(long, env = "REFLECT_HOOK_LIMIT", value_name = "MILLISECONDS", default_value_t = 1500, value_parser = clap::value_parser!(u64).range(100..=60_000))]
    pub(super) limit: u64,
    /// Record the run before the hook returns, not in the background. For machines that are removed when the agent ends.
    #[arg(long)]
    pub(super) wait: bool,
    /// Write errors to stderr. The exit code is 0 in any case.
    #[arg(long, env = "REFLECT_HOOK_DEBUG")]
    pub(super) debug: bool,
    /// The folder of the state between a prompt and its end. Default: `reflect/hooks` in $XDG_STATE_HOME or in ~/.local/state.
    #[arg(long, env = "REFLECT_HOOK_STATE", value_name = "FOLDER", hide = true)]
    state: Option<String>,
    /// Behave incorrectly in this way, to prove that a test detects it. Debug builds only.
    #[cfg(debug_assertions)]
    #[arg(long, hide = true, value_enum)]
    fault: Vec<HookFault>,
    /// Record the runs of this session. The hook starts this in the background.
    #[arg(long, value_name = "SESSION", hide = true)]
    pub(super) deliver: Option<String>,
}

/// A deliberate fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum HookFault {
    /// A run is sent and not stored before. A failure is ignored.
    NoSpool,
    /// The ids of runs are random.
    RandomIds,
    /// The process ends after it has kept an event.
    EndAfterEvent,
    /// The process ends after it has stored the runs of an event, before it saves the progress of the session.
    EndBeforeProgress,
}

/// How the runs of an event are recorded. It is kept with the event: a process with other flags may record them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recording {
    pub(super) mask: Masking,
    pub(super) test_commands: Vec<String>,
    pub(super) place: SpoolLocation,
}

/// What is masked on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub(super) enum Masking {
    /// Keys, tokens and passwords.
    Credentials,
    /// Credentials, e-mail addresses, telephone numbers, payment cards, bank accounts, national ids and IP addresses.
    Personal,
    /// Nothing.
    Off,
}

impl HookOptions {
    /// Whether it behaves incorrectly in this way.
    #[cfg(debug_assertions)]
    pub(super) fn has_fault(&self, fault: HookFault) -> bool {
        self.fault.contains(&fault)
    }

    /// There is no fault in release builds.
    #[cfg(not(debug_assertions))]
    pub(super) const fn has_fault(&self, _: HookFault) -> bool {
        false
    }

    /// How runs are recorded with these flags.
    pub(super) fn recording(&self) -> Recording {
        let test_commands = self.test_command.clone();
        Recording { mask: self.mask, test_commands, place: self.place.absolute() }
    }

    /// Ends the process if it has this fault.
    pub(super) fn end_at(&self, fault: HookFault) {
        if self.has_fault(fault) {
            std::process::exit(1);
        }
    }

    /// The settings of a client. A hook shows no warnings of the server, because it writes nothing.
    pub(super) fn client_builder(&self) -> anyhow::Result<ReflectClientBuilder> {
        let builder = self.connection.client_builder()?;
        Ok(if self.debug { builder } else { builder.on_warning(|_: &str| {}) })
    }

    /// The folder of the state.
    pub(super) fn state_folder(&self) -> anyhow::Result<PathBuf> {
        let said = self.state.as_ref().filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let default = || {
            let below =
                if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/state" };
            environment::folder("XDG_STATE_HOME", below).map(|state| state.join("reflect/hooks"))
        };
        let nowhere =
            || Failure::new(Kind::Configuration, "no_home", "there is no home folder for the state of hooks");
        Ok(said.or_else(default).ok_or_else(|| nowhere().fix("set REFLECT_HOOK_STATE to a folder"))?)
    }
}

//! `reflect hook install`, `list` and `remove`: the hooks in the settings files of coding agents.

mod command;
mod difference;
mod json_file;
mod place;
mod toml_file;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;

use self::command::HookCommand;
use self::place::{Level, SettingsFile, Syntax};
use super::CodingAgent;
use super::entry::reason;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table};
use crate::private_file;

/// The events, and how many seconds an agent waits for a hook. A hook ends sooner by itself.
const EVENTS: [(&str, u32); 3] = [(PROMPT, 5), ("Stop", 10), ("SessionEnd", 3)];
const PROMPT: &str = "UserPromptSubmit";
/// The time for `--wait`, in seconds.
const WAIT_TIME: u32 = 30;

#[derive(Debug, Args)]
pub(crate) struct Install {
    #[command(flatten)]
    target: Target,
    /// Show the change and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Flags of the hook, such as `--project shop`. They are stored in the settings file, so a key is refused.
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Remove {
    #[command(flatten)]
    target: Target,
    /// Show the change and write nothing.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {}

/// Whose settings, and which.
#[derive(Debug, Args)]
struct Target {
    /// The coding agent.
    #[arg(value_enum)]
    agent: CodingAgent,
    /// Which settings: those of the user, those of the repository for everyone, or those of the repository for this user.
    #[arg(long, value_enum, default_value_t = Level::User)]
    level: Level,
}

/// A hook in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HookEntry {
    event: String,
    command: String,
    timeout: u32,
}

/// Whether a command is a hook of this program.
type IsOwn<'a> = &'a dyn Fn(&str) -> bool;

pub(super) fn install(arguments: &Install, output: &Output) -> anyhow::Result<()> {
    let Target { agent, level } = arguments.target;
    let command = HookCommand::new(agent, level, &arguments.flags)?;
    let waits = arguments.flags.iter().any(|flag| flag == "--wait");
    let wanted = EVENTS.map(|(event, timeout)| HookEntry {
        event: event.to_owned(),
        command: command.line.clone(),
        timeout: if waits && event != PROMPT { WAIT_TIME } else { timeout },
    });
    let file = SettingsFile::find(agent, level)?;
    file.check_inside()?;
    let is_own = |line: &str| command::is_own(line, agent);
    change(&file, agent, arguments.dry_run, "hook.install/1", output, |text| match file.syntax {
        Syntax::Json => json_file::with_hooks(text, &wanted, &is_own),
        Syntax::Toml => toml_file::with_hooks(text, &wanted, &is_own),
    })?;
    if command.is_missing {
        output.warn("`reflect` is not on the PATH of this shell; the agent must find it to run the hooks");
    }
    for note in place::notes(agent, &file) {
        output.warn(&note);
    }
    for other in installed_elsewhere(agent, level) {
        output.warn(&format!(
            "the hooks are also installed in {}; {} runs both, and each prompt gets the lessons of both",
            other.display(),
            agent.title()
        ));
    }
    if agent == CodingAgent::Codex && !arguments.dry_run {
        output.say("Codex runs a hook only after you have reviewed it: start Codex and enter /hooks.");
    }
    if let Err(error) = command.check_connection() {
        output.warn(&format!("the hooks do nothing yet: {}", reason(&error)));
    }
    Ok(())
}

pub(super) fn remove(arguments: &Remove, output: &Output) -> anyhow::Result<()> {
    let Target { agent, level } = arguments.target;
    let file = SettingsFile::find(agent, level)?;
    file.check_inside()?;
    let is_own = |line: &str| command::is_own(line, agent);
    change(&file, agent, arguments.dry_run, "hook.remove/1", output, |text| match file.syntax {
        Syntax::Json => json_file::without_hooks(text, &is_own),
        Syntax::Toml => toml_file::without_hooks(text, &is_own),
    })
}

/// Changes a settings file, and shows the change.
fn change(
    file: &SettingsFile,
    agent: CodingAgent,
    dry_run: bool,
    schema: &str,
    output: &Output,
    edit: impl FnOnce(&str) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let path = &file.path;
    let before = read(path)?;
    let after = edit(&before).map_err(|error| {
        let message = format!("{} cannot be changed: {error:#}", path.display());
        Failure::new(Kind::Local, "bad_settings", message).fix("correct the file, or add the hooks by hand")
    })?;
    let changed = before != after;
    if changed && !dry_run {
        write(path, &after)?;
    }
    let item = json!({ "agent": agent.name(), "file": path, "changed": changed, "dry_run": dry_run });
    output.item(schema, &item, || {
        if !changed {
            return format!("{} is unchanged.", path.display());
        }
        let done = if dry_run { "would change" } else { "was changed" };
        format!("{}\n{} {done}.", difference::difference(&before, &after), path.display())
    })
}

pub(super) fn list(_: &List, output: &Output) -> anyhow::Result<()> {
    let mut items = Vec::new();
    let mut table = Table::new(&["AGENT", "LEVEL", "STATE", "~FILE", "?~COMMAND"]);
    for agent in CodingAgent::ALL {
        for level in Level::of(agent) {
            let file = SettingsFile::find(agent, *level)?;
            let found = hooks_in(&file, agent);
            let (state, command) = match &found {
                Ok(hooks) => (state_of(hooks), hooks.first().map(|hook| hook.command.clone())),
                Err(error) => (format!("not readable: {error:#}"), None),
            };
            let events: Vec<&str> = found.iter().flatten().map(|hook| hook.event.as_str()).collect();
            let path = file.path.display().to_string();
            table.row(&[agent.name(), level.name(), &state, &path, command.as_deref().unwrap_or("-")]);
            items.push(json!({
                "agent": agent.name(),
                "level": level.name(),
                "file": file.path,
                "installed": found.as_ref().is_ok_and(|hooks| missing(hooks).is_empty()),
                "events": events,
                "command": command,
                "notes": place::notes(agent, &file),
            }));
        }
    }
    output.list("hook.list/1", &items, None, || table)
}

/// The own hooks of a settings file.
fn hooks_in(file: &SettingsFile, agent: CodingAgent) -> anyhow::Result<Vec<HookEntry>> {
    let is_own = |line: &str| command::is_own(line, agent);
    let text = read(&file.path)?;
    match file.syntax {
        Syntax::Json => json_file::hooks(&text, &is_own),
        Syntax::Toml => toml_file::hooks(&text, &is_own),
    }
}

/// The settings files of other levels with own hooks.
fn installed_elsewhere(agent: CodingAgent, level: Level) -> Vec<PathBuf> {
    let others = Level::of(agent).iter().filter(|other| **other != level);
    let files = others.filter_map(|other| SettingsFile::find(agent, *other).ok());
    let installed = files.filter(|file| hooks_in(file, agent).is_ok_and(|hooks| !hooks.is_empty()));
    installed.map(|file| file.path).collect()
}

fn missing(hooks: &[HookEntry]) -> Vec<&'static str> {
    let has = |event: &str| hooks.iter().any(|hook| hook.event == event);
    EVENTS.into_iter().map(|(event, _)| event).filter(|event| !has(event)).collect()
}

fn state_of(hooks: &[HookEntry]) -> String {
    match missing(hooks).as_slice() {
        [] => "installed".to_owned(),
        all if all.len() == EVENTS.len() => "not installed".to_owned(),
        some => format!("without {}", some.join(", ")),
    }
}

/// The text of a settings file; empty if there is none.
fn read(path: &Path) -> anyhow::Result<String> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        read => read.with_context(|| format!("cannot read {}", path.display())),
    }
}

/// Replaces a settings file. Its mode stays, and so does a link to it.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let written = || -> std::io::Result<()> {
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = hidden_beside(&target);
        let mode = fs::metadata(&target).map(|found| found.permissions());
        std::io::Write::write_all(&mut private_file::create(&new)?, text.as_bytes())?;
        if let Ok(mode) = mode {
            fs::set_permissions(&new, mode)?;
        }
        fs::rename(&new, &target)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

fn hidden_beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.new", uuid::Uuid::now_v7().simple()))
}

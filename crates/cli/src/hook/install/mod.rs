//! `reflect hook install`, `list` and `remove`: the hooks in the settings files of coding agents.

mod command;
mod difference;
mod json_file;
mod place;
#[cfg(test)]
mod sample_hooks;
mod toml_file;

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use serde_json::json;

use self::command::HookCommand;
use self::place::{Level, SettingsFile, Syntax};
use super::CodingAgent;
use super::report::reason;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, plain};
use crate::private_file;

/// The events, and how many seconds an agent waits for a hook. A hook ends sooner by itself.
const EVENTS: [(&str, u32); 3] = [(PROMPT, 5), ("Stop", 10), (SESSION_END, 3)];
const PROMPT: &str = "UserPromptSubmit";
const SESSION_END: &str = "SessionEnd";
/// The time for `--wait`, in seconds.
const WAIT_TIME: u32 = 30;
/// The mode of a new file that is meant for everyone in a repository. Others are only for their owner.
const PROJECT_MODE: u32 = 0o644;
/// How many links to a settings file are followed. Linux follows as many.
const MOST_LINKS: usize = 40;

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
    let wanted = wanted(agent, &command.line, arguments.flags.iter().any(|flag| flag == "--wait"));
    let file = SettingsFile::find(agent, level)?;
    file.check_inside()?;
    let is_own = |line: &str| command::is_own(line, agent);
    change(&file, &arguments.target, arguments.dry_run, "hook.install/1", output, |text| {
        match file.syntax {
            Syntax::Json => json_file::with_hooks(text, &wanted, &is_own),
            Syntax::Toml => toml_file::with_hooks(text, &wanted, &is_own),
        }
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
    change(&file, &arguments.target, arguments.dry_run, "hook.remove/1", output, |text| match file.syntax {
        Syntax::Json => json_file::without_hooks(text, &is_own),
        Syntax::Toml => toml_file::without_hooks(text, &is_own),
    })
}

/// The hooks of an agent.
fn wanted(agent: CodingAgent, command: &str, waits: bool) -> [HookEntry; 3] {
    EVENTS.map(|(event, timeout)| {
        // Codex takes no more than the usual time at the end of a session, and warns.
        let is_short = event == PROMPT || (agent == CodingAgent::Codex && event == SESSION_END);
        let timeout = if waits && !is_short { WAIT_TIME } else { timeout };
        HookEntry { event: event.to_owned(), command: command.to_owned(), timeout }
    })
}

/// Changes a settings file, and shows the change.
fn change(
    file: &SettingsFile,
    target: &Target,
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
    let shown = summary(path, &before, &after, dry_run);
    if changed && !dry_run {
        let new_mode = (target.level == Level::Project).then_some(PROJECT_MODE);
        write(path, &after, new_mode)?;
    }
    let item = json!({ "agent": target.agent.name(), "file": path, "changed": changed, "dry_run": dry_run });
    output.item(schema, &item, || shown)
}

/// The change for people. A settings file can come with a repository, so its text is not trusted.
fn summary(path: &Path, before: &str, after: &str, dry_run: bool) -> String {
    if before == after {
        return plain(&format!("{} is unchanged.", path.display()));
    }
    let done = if dry_run { "would change" } else { "was changed" };
    plain(&format!("{}\n{} {done}.", difference::difference(before, after), path.display()))
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

/// Replaces a settings file. Its mode stays, and so does a link to it, also if there is no file behind the link yet.
/// `new_mode`: for a file that did not exist, instead of the mode for its owner.
fn write(path: &Path, text: &str, new_mode: Option<u32>) -> anyhow::Result<()> {
    let written = || -> std::io::Result<()> {
        let target = behind_links(path)?;
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = hidden_beside(&target);
        let before = fs::metadata(&target).map(|found| found.permissions()).ok();
        let mut file = private_file::create(&new)?;
        file.write_all(text.as_bytes())?;
        if let Some(mode) = before.or_else(|| new_mode.map(Permissions::from_mode)) {
            file.set_permissions(mode)?;
        }
        // Else a crash after the renaming can leave an empty file.
        file.sync_all()?;
        fs::rename(&new, &target)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

/// The file that a path leads to, which may not exist.
fn behind_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&target) else { return Ok(target) };
        // A link counts from its own folder, unless it is absolute.
        target = target.with_file_name("").join(link);
    }
    Err(std::io::Error::other("there are too many links"))
}

fn hidden_beside(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}.new", uuid::Uuid::now_v7().simple()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> PathBuf {
        let folder = std::env::temp_dir().join(format!("reflect-install-{}", uuid::Uuid::now_v7()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_change_cannot_control_the_terminal() {
        let before = "{\n  \"a\": \"\u{1b}[2J\u{9b}31m\"\n}\n";
        let shown = summary(Path::new("/r\u{1b}/s.json"), before, &before.replace('a', "b"), false);

        let expected = "  {\n-   \"a\": \"[2J31m\"\n+   \"b\": \"[2J31m\"\n  }\n/r/s.json was changed.";
        assert_eq!(shown, expected);
        let unchanged = summary(Path::new("/r\u{1b}/s.json"), before, before, false);
        assert_eq!(unchanged, "/r/s.json is unchanged.");
    }

    #[test]
    fn waiting_takes_longer_except_where_the_agent_does_not() {
        let times = |agent, waits| wanted(agent, "reflect hook", waits).map(|hook| hook.timeout);

        assert_eq!(times(CodingAgent::ClaudeCode, true), [5, 30, 30]);
        assert_eq!(times(CodingAgent::Codex, true), [5, 30, 3]);
        assert_eq!(times(CodingAgent::Codex, false), [5, 10, 3]);
    }

    #[test]
    fn links_stay_also_if_there_is_no_file_behind_them() {
        let folder = folder();
        fs::create_dir_all(folder.join("home")).unwrap();
        let link = |to: &Path, name: &str| {
            let link = folder.join("home").join(name);
            std::os::unix::fs::symlink(to, &link).unwrap();
            link
        };
        let first = link(Path::new("second.json"), "first.json");
        let second = link(Path::new("../dotfiles/settings.json"), "second.json");
        let absolute = link(&folder.join("other/settings.json"), "absolute.json");
        let round = link(Path::new("round.json"), "round.json");

        for text in ["one", "two"] {
            write(&first, text, None).unwrap();
            write(&absolute, text, None).unwrap();

            assert_eq!(fs::read_to_string(folder.join("dotfiles/settings.json")).unwrap(), text);
            assert_eq!(fs::read_to_string(folder.join("other/settings.json")).unwrap(), text);
            assert!([&first, &second, &absolute].into_iter().all(|link| link.is_symlink()));
        }
        assert!(write(&round, "one", None).is_err());
        assert!(round.is_symlink());
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_new_file_for_everyone_can_be_read_by_everyone_and_others_keep_their_mode() {
        let folder = folder();
        let path = |name: &str| folder.join("new").join(name);

        write(&path("user.json"), "{}", None).unwrap();
        write(&path("project.json"), "{}", Some(PROJECT_MODE)).unwrap();
        assert_eq!([mode(&path("user.json")), mode(&path("project.json"))], [0o600, 0o644]);
        fs::set_permissions(path("project.json"), Permissions::from_mode(0o640)).unwrap();
        write(&path("project.json"), "{ }", Some(PROJECT_MODE)).unwrap();
        assert_eq!(mode(&path("project.json")), 0o640);
        fs::remove_dir_all(&folder).unwrap();
    }
}

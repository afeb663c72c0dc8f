//! The settings files of coding agents.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use serde_json::Value;

use super::super::CodingAgent;
use crate::environment;
use crate::failure::{Failure, Kind};

/// Whose settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// For all work of this user.
    User,
    /// For everyone who works in this repository. The file is meant to be committed.
    Project,
    /// For this user in this repository. Only Claude Code has it.
    Local,
}

/// The syntax of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    Json,
    Toml,
}

/// A settings file, which may not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SettingsFile {
    pub(super) path: PathBuf,
    pub(super) syntax: Syntax,
    /// The repository that has the file. `None` for the files of the user.
    repository: Option<PathBuf>,
}

impl Level {
    /// The levels of an agent.
    pub(super) const fn of(agent: CodingAgent) -> &'static [Self] {
        match agent {
            CodingAgent::ClaudeCode => &[Self::User, Self::Project, Self::Local],
            CodingAgent::Codex => &[Self::User, Self::Project],
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

impl SettingsFile {
    pub(super) fn find(agent: CodingAgent, level: Level) -> anyhow::Result<Self> {
        if !Level::of(agent).contains(&level) {
            let message = format!("{} has no settings at the level {}", agent.title(), level.name());
            return Err(Failure::usage(message).fix("choose --level user or --level project").into());
        }
        let (variable, folder) = match agent {
            CodingAgent::ClaudeCode => ("CLAUDE_CONFIG_DIR", ".claude"),
            CodingAgent::Codex => ("CODEX_HOME", ".codex"),
        };
        let (repository, folder) = match level {
            Level::User => (
                None,
                environment::folder(variable, folder).ok_or_else(|| {
                    Failure::new(Kind::Configuration, "no_home", "there is no home folder with settings")
                        .fix(format!("set {variable} to the folder of the settings"))
                })?,
            ),
            Level::Project | Level::Local => {
                let repository = repository()?;
                let folder = repository.join(folder);
                (Some(repository), folder)
            }
        };
        Ok(Self { repository, ..Self::in_folder(agent, level, &folder) })
    }

    /// Refuses a file of a repository that is a link to somewhere else. A repository that was cloned must not decide which
    /// file of the user is changed.
    pub(super) fn check_inside(&self) -> anyhow::Result<()> {
        let Some(repository) = &self.repository else { return Ok(()) };
        let repository = std::fs::canonicalize(repository).context("cannot find the repository")?;
        let real = self.path.ancestors().find_map(|path| std::fs::canonicalize(path).ok());
        if real.is_some_and(|real| real.starts_with(&repository)) && !is_broken_link(&self.path) {
            return Ok(());
        }
        let message = format!("{} is a link to a place outside of the repository", self.path.display());
        Err(Failure::new(Kind::Local, "link_outside", message)
            .fix("replace the link with a file, or choose --level user")
            .into())
    }

    fn in_folder(agent: CodingAgent, level: Level, folder: &Path) -> Self {
        let config = folder.join("config.toml");
        let (name, syntax) = match (agent, level) {
            (CodingAgent::ClaudeCode, Level::Local) => ("settings.local.json", Syntax::Json),
            (CodingAgent::ClaudeCode, _) => ("settings.json", Syntax::Json),
            // Codex warns if hooks are in both files.
            (CodingAgent::Codex, _) if has_hooks(&config) && !folder.join("hooks.json").exists() => {
                ("config.toml", Syntax::Toml)
            }
            (CodingAgent::Codex, _) => ("hooks.json", Syntax::Json),
        };
        Self { path: folder.join(name), syntax, repository: None }
    }
}

/// Whether it is a link to a file that does not exist.
fn is_broken_link(path: &Path) -> bool {
    path.ancestors().any(|path| path.is_symlink() && !path.exists())
}

/// The top folder of the repository, or the working folder.
fn repository() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().context("cannot find the working folder")?;
    let top = here.ancestors().find(|folder| folder.join(".git").exists());
    Ok(top.unwrap_or(&here).to_owned())
}

fn toml_of(path: &Path) -> Option<toml::Table> {
    std::fs::read_to_string(path).ok()?.parse().ok()
}

/// Whether a `config.toml` has hooks. The table `hooks.state` says which hooks the user has reviewed.
fn has_hooks(config: &Path) -> bool {
    let hooks = toml_of(config).and_then(|config| config.get("hooks")?.as_table().cloned());
    hooks.is_some_and(|hooks| hooks.keys().any(|name| name != "state"))
}

/// What keeps an agent from running the hooks of a file.
pub(super) fn notes(agent: CodingAgent, file: &SettingsFile) -> Vec<String> {
    let mut notes = Vec::new();
    match agent {
        CodingAgent::ClaudeCode => {
            let text = std::fs::read_to_string(&file.path).unwrap_or_default();
            let settings: Value = serde_json::from_str(&text).unwrap_or_default();
            if settings["disableAllHooks"] == true {
                notes.push(format!("{} has \"disableAllHooks\": true", file.path.display()));
            }
        }
        CodingAgent::Codex => {
            let config = file.path.with_file_name("config.toml");
            let features = toml_of(&config).and_then(|config| config.get("features")?.as_table().cloned());
            let is_off = |name: &str| {
                features.as_ref().and_then(|features| features.get(name)?.as_bool()) == Some(false)
            };
            if is_off("hooks") || is_off("codex_hooks") {
                notes.push(format!("{} has hooks = false in [features]", config.display()));
            }
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codex_keeps_its_hooks_in_one_file() {
        let folder = std::env::temp_dir().join(format!("reflect-place-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = || SettingsFile::in_folder(CodingAgent::Codex, Level::User, &folder);
        let config = |text: &str| std::fs::write(folder.join("config.toml"), text).unwrap();

        assert_eq!(file().path, folder.join("hooks.json"));
        config("[hooks.state.x]\ntrusted_hash = \"1\"\n[features]\nhooks = false\n");
        assert_eq!(file().syntax, Syntax::Json);
        assert_eq!(notes(CodingAgent::Codex, &file()).len(), 1);
        config("[[hooks.Stop]]\n");
        assert_eq!((file().path, file().syntax), (folder.join("config.toml"), Syntax::Toml));
        std::fs::write(folder.join("hooks.json"), "{}").unwrap();
        assert_eq!(file().syntax, Syntax::Json);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_link_of_a_repository_leads_to_no_file_outside() {
        let folder = std::env::temp_dir().join(format!("reflect-link-{}", uuid::Uuid::now_v7()));
        let repository = folder.join("repo");
        std::fs::create_dir_all(folder.join("home")).unwrap();
        std::fs::create_dir_all(repository.join(".claude")).unwrap();
        std::fs::write(folder.join("home/settings.json"), "{}").unwrap();
        let is_inside = |path: PathBuf| {
            let repository = Some(repository.clone());
            SettingsFile { path, syntax: Syntax::Json, repository }.check_inside().is_ok()
        };
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(folder.join(to), repository.join(name)).unwrap();
            repository.join(name)
        };

        assert!(is_inside(repository.join(".claude/settings.json")));
        assert!(is_inside(repository.join(".new/settings.json")));
        assert!(is_inside(link("repo/.claude", ".same").join("settings.json")));
        for path in [
            link("home/settings.json", ".claude/settings.json"),
            link("home", ".linked").join("new.json"),
            link("none.json", ".claude/none.json"),
        ] {
            assert!(!is_inside(path.clone()), "{}", path.display());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn claude_code_has_three_files() {
        let of =
            |level| SettingsFile::in_folder(CodingAgent::ClaudeCode, level, Path::new("/r/.claude")).path;
        assert_eq!(of(Level::User), Path::new("/r/.claude/settings.json"));
        assert_eq!(of(Level::Local), Path::new("/r/.claude/settings.local.json"));
        assert!(SettingsFile::find(CodingAgent::Codex, Level::Local).is_err());
    }
}

//! The repository that an agent works in.

use std::path::Path;
use std::process::{Command, Stdio};

/// Facts about a repository, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Repository {
    /// Its name: host and path of its origin, else the name of its folder.
    pub(super) name: Option<String>,
    /// The branch, unless a commit is checked out.
    pub(super) branch: Option<String>,
    /// The commit.
    pub(super) commit: Option<String>,
    /// When it was committed, in seconds since 1970.
    pub(super) committed_at: Option<i64>,
}

/// Variables that would make git look at another repository: those of a hook of git that started the agent.
const OF_ANOTHER: [&str; 5] =
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"];

impl Repository {
    /// The repository of a folder, now.
    pub(super) fn of(folder: &Path) -> Self {
        let Some(top) = git(folder, &["rev-parse", "--show-toplevel"]) else { return Self::default() };
        let origin = git(folder, &["remote", "get-url", "origin"]);
        let folder_name = || top.rsplit('/').next().map(str::to_owned);
        Self {
            name: origin.as_deref().and_then(name_of).or_else(folder_name),
            branch: git(folder, &["symbolic-ref", "--quiet", "--short", "HEAD"]),
            commit: git(folder, &["rev-parse", "--verify", "--quiet", "HEAD"]),
            committed_at: git(folder, &["cat-file", "commit", "HEAD"]).and_then(|text| committed_at(&text)),
        }
    }

    /// Without what may have changed since.
    pub(super) fn without_state(self) -> Self {
        Self { name: self.name, ..Self::default() }
    }
}

/// The output of git. `None` if it fails or says nothing. The folder may have a repository whose settings are hostile: only
/// commands are used that run no program of the settings, and that fetch nothing.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.args(["-c", "core.fsmonitor=false", "--no-pager", "-C"]).arg(folder).args(arguments);
    for (name, value) in
        [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_TERMINAL_PROMPT", "0")]
    {
        command.env(name, value);
    }
    for name in OF_ANOTHER {
        command.env_remove(name);
    }
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The time of a commit object in its line `committer NAME <MAIL> SECONDS ZONE`.
fn committed_at(commit: &str) -> Option<i64> {
    let line =
        commit.lines().take_while(|line| !line.is_empty()).find(|line| line.starts_with("committer "))?;
    line.rsplit(' ').nth(1)?.parse().ok()
}

/// Host and path of the address of a repository, without user, password, port, query and `.git`. The same for every
/// protocol. `None` for an address whose parts are not clear: a password must not become part of the name.
fn name_of(address: &str) -> Option<String> {
    let rest = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.to_owned(),
        // git@github.com:owner/name.git
        None => {
            let (host, path) = address.split_once(':').filter(|(host, _)| !host.contains('/'))?;
            format!("{host}/{}", path.trim_start_matches('/'))
        }
    };
    let rest = rest.split(['?', '#']).next()?;
    let (authority, path) = rest.split_once('/')?;
    let host = authority.rsplit('@').next()?;
    if !authority.contains('@') && path.contains('@') {
        return None;
    }
    let host = host.split(':').next()?.to_ascii_lowercase();
    let path = path.trim_matches('/').trim_end_matches(".git");
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_one_name_whatever_the_protocol_and_no_password() {
        for address in [
            "https://github.com/owner/name.git",
            "https://user:token@GitHub.com/owner/name",
            "git@github.com:owner/name.git",
            "ssh://git@github.com:22/owner/name.git/",
            "https://github.com/owner/name.git?access_token=secret",
        ] {
            assert_eq!(name_of(address).as_deref(), Some("github.com/owner/name"), "{address}");
        }
        for address in [
            "/srv/git/name.git",
            "../name",
            "file:///srv/name.git",
            "",
            "https://user:pass/word@github.com/owner/name",
            "user:password@github.com:owner/name",
        ] {
            assert_eq!(name_of(address), None, "{address}");
        }
    }

    #[test]
    fn the_time_of_a_commit_is_that_of_its_committer_and_not_in_its_message() {
        let commit = "tree 4b825dc\nauthor Ana <a@b.example> 100 +0000\ncommitter Bo <b@b.example> 200 -0330\n\ncommitter x 300 +0000";
        assert_eq!(committed_at(commit), Some(200));
        assert_eq!(committed_at("tree 4b825dc\n\ncommitter x 300 +0000"), None);
    }

    #[test]
    fn a_folder_without_a_repository_has_no_facts() {
        assert_eq!(Repository::of(Path::new("/nonexistent")), Repository::default());
    }
}

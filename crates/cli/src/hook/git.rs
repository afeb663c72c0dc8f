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
}

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
        }
    }
}

/// The output of git. `None` if it fails or says nothing.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).env("GIT_OPTIONAL_LOCKS", "0");
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Host and path of the address of a repository, without user, password, port and `.git`. The same for every protocol.
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
    let (host, path) = rest.split_once('/')?;
    let host = host.rsplit('@').next()?.split(':').next()?.to_ascii_lowercase();
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
        ] {
            assert_eq!(name_of(address).as_deref(), Some("github.com/owner/name"), "{address}");
        }
        for address in ["/srv/git/name.git", "../name", "file:///srv/name.git", ""] {
            assert_eq!(name_of(address), None, "{address}");
        }
    }

    #[test]
    fn a_folder_without_a_repository_has_no_facts() {
        assert_eq!(Repository::of(Path::new("/nonexistent")), Repository::default());
    }
}

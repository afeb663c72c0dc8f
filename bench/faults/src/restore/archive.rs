//! A base backup and an archive of the write-ahead log, as the documentation describes them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::{Cluster, cache_folder, free_port};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::time::{Instant, sleep};

use super::programs::postgres;

/// How long the last segment may take to arrive, and a recovery to end.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(20);

/// A folder in the cache. It is removed when it is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn create() -> anyhow::Result<Self> {
        let name = format!("restore-{}-{}", std::process::id(), free_port()?);
        let folder = Self(cache_folder()?.join(name));
        fs::create_dir_all(&folder.0)?;
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755))?;
        Ok(folder)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The archive.
#[derive(Debug, Clone)]
pub(crate) struct Archive(PathBuf);

impl Archive {
    /// An empty archive, in which the server's user may write.
    pub(crate) fn create(folder: &Folder, name: &str) -> anyhow::Result<Self> {
        let archive = Self(folder.path(name));
        fs::create_dir_all(&archive.0)?;
        fs::set_permissions(&archive.0, fs::Permissions::from_mode(0o777))?;
        Ok(archive)
    }

    /// Receives the segments of a server from now on.
    pub(crate) async fn receive(&self, database_url: &str) -> anyhow::Result<()> {
        let folder = self.0.display();
        let command = format!("cp %p {folder}/%f.part && mv {folder}/%f.part {folder}/%f");
        let mut connection = PgConnection::connect(database_url).await?;
        connection.execute(AssertSqlSafe(format!("alter system set archive_command = '{command}'"))).await?;
        connection.execute("select pg_reload_conf()").await?;
        Ok(())
    }

    /// What is in it now, as another archive.
    pub(crate) fn copy(&self, folder: &Folder, name: &str) -> anyhow::Result<Self> {
        let copy = Self::create(folder, name)?;
        for segment in self.segments()? {
            let target = copy.0.join(&segment);
            fs::copy(self.0.join(&segment), &target)?;
            // The server's user reads them.
            fs::set_permissions(&target, fs::Permissions::from_mode(0o644))?;
        }
        Ok(copy)
    }

    /// Complete files, in their order.
    pub(crate) fn segments(&self) -> anyhow::Result<Vec<String>> {
        let entries = fs::read_dir(&self.0)?;
        let names = entries.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()));
        let mut names: Vec<String> = names.collect::<anyhow::Result<_>>()?;
        names.retain(|name| Path::new(name).extension().is_none_or(|extension| extension != "part"));
        names.sort();
        Ok(names)
    }

    /// Removes a segment.
    pub(crate) fn lose(&self, segment: &str) -> anyhow::Result<()> {
        Ok(fs::remove_file(self.0.join(segment))?)
    }

    /// Ends the current segment of a server and waits until it has arrived.
    pub(crate) async fn complete(&self, database_url: &str) -> anyhow::Result<()> {
        let mut connection = PgConnection::connect(database_url).await?;
        let last: String =
            sqlx::query_scalar("select pg_walfile_name(pg_switch_wal())").fetch_one(&mut connection).await?;
        let began = Instant::now();
        while !self.0.join(&last).exists() {
            ensure!(began.elapsed() < PATIENCE, "segment {last} was not archived");
            sleep(LOOK).await;
        }
        Ok(())
    }
}

/// A base backup.
pub(crate) struct BaseBackup(PathBuf);

impl BaseBackup {
    /// Copies the files of a server that works.
    pub(crate) async fn take(folder: &Folder, cluster: &Cluster) -> anyhow::Result<Self> {
        let backup = folder.path("base");
        let target = backup.to_str().context("a path that is not text")?;
        let url = cluster.url("postgres");
        postgres(
            "pg_basebackup",
            &["-d", &url, "-D", target, "--wal-method=none", "--checkpoint=fast", "--no-sync"],
        )
        .await?;
        postgres("pg_verifybackup", &["--no-parse-wal", target]).await?;
        Ok(Self(backup))
    }

    /// Starts a server on a copy, which recovers from the archive up to a time, or as far as the archive reaches. The copy belongs
    /// to the owner of the original.
    pub(crate) async fn restore(
        &self,
        (original, data): (&Cluster, PathBuf),
        archive: &Archive,
        time: Option<&str>,
    ) -> anyhow::Result<Cluster> {
        succeed(Command::new("cp").arg("-a").arg(&self.0).arg(&data))?;
        let folder = archive.0.display();
        let mut settings = format!(
            "archive_command = ''\nrestore_command = 'cp {folder}/%f %p'\nrecovery_target_action = 'promote'\n"
        );
        if let Some(time) = time {
            settings.push_str(&format!("recovery_target_time = '{time}'\n"));
        }
        let file = data.join("postgresql.auto.conf");
        fs::write(&file, [fs::read_to_string(&file)?, settings].concat())?;
        fs::write(data.join("recovery.signal"), "")?;
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;
        let owner = format!("--reference={}", original.data().display());
        succeed(Command::new("chown").arg("-R").arg(owner).arg(&data))?;
        let cluster = Cluster::start_in(data, &super::committed::SETTINGS)?;
        wait_until_recovered(&cluster).await?;
        Ok(cluster)
    }
}

/// A server that does not reach its target ends.
async fn wait_until_recovered(cluster: &Cluster) -> anyhow::Result<()> {
    let began = Instant::now();
    loop {
        let log = cluster.log();
        let connection = PgConnection::connect(&cluster.url("postgres")).await;
        let mut connection =
            connection.with_context(|| format!("the recovery ended: {}", last_fatal(&log)))?;
        let is_running: bool =
            sqlx::query_scalar("select pg_is_in_recovery()").fetch_one(&mut connection).await?;
        if !is_running {
            return Ok(());
        }
        ensure!(began.elapsed() < PATIENCE, "the recovery did not end");
        sleep(LOOK).await;
    }
}

fn last_fatal(log: &Path) -> String {
    let log = fs::read_to_string(log).unwrap_or_default();
    log.lines().rfind(|line| line.contains("FATAL")).unwrap_or("no reason in its log").to_owned()
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

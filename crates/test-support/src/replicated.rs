//! A database with a streaming standby, in a cluster of its own: the test cluster has none, and a standby of it would copy
//! the databases of all tests.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reflect_store::{MigrationSettings, ReplicaSettings, Store, StoreSettings};
use secrecy::SecretString;
use sqlx::{Connection, Executor, PgConnection};

use crate::programs;

const PATIENCE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(10);

/// A primary and its standby. Both end with this value.
#[derive(Debug)]
pub struct ReplicatedDb {
    folder: PathBuf,
    primary_port: u16,
    standby_port: u16,
}

impl ReplicatedDb {
    /// A migrated database and a standby that has all of it.
    pub async fn create() -> Self {
        let folder = programs::private_folder();
        let db = Self { folder, primary_port: programs::free_port(), standby_port: programs::free_port() };
        let mut initdb = programs::postgres("initdb");
        initdb.args([
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--username=reflect",
            "-D",
        ]);
        programs::run(initdb.arg(db.data("primary")));
        start(&db.data("primary"), db.primary_port);
        let mut server = connect(&url(db.primary_port, "postgres")).await;
        server.execute("create database reflect").await.expect("a database can be created");
        Store::migrate(&db.migration()).await.expect("the migrations apply");
        let mut backup = programs::postgres("pg_basebackup");
        backup.args(["--no-sync", "--checkpoint=fast", "--write-recovery-conf", "--pgdata"]);
        backup.arg(db.data("standby")).arg("--dbname").arg(url(db.primary_port, "postgres"));
        programs::run(&mut backup);
        start(&db.data("standby"), db.standby_port);
        db.wait_for_replay().await;
        db
    }

    /// Settings of a store that reads the standby. `max_staleness` is the bound for its data.
    pub fn settings(&self, max_staleness: Duration) -> StoreSettings {
        let replica = ReplicaSettings { url: url(self.standby_port, "reflect").into(), max_staleness };
        StoreSettings { replica: Some(replica), ..StoreSettings::new(self.url(), 8) }
    }

    /// The URL of the standby, as another user.
    pub fn read_url_as(&self, user: &str) -> SecretString {
        format!("postgres://{user}@127.0.0.1:{}/reflect", self.standby_port).into()
    }

    /// Settings to migrate the primary.
    pub fn migration(&self) -> MigrationSettings {
        MigrationSettings { url: self.url(), hash_partitions: 2, partition_days: 90 }
    }

    /// The URL of the primary, as its superuser.
    pub fn url(&self) -> SecretString {
        url(self.primary_port, "reflect").into()
    }

    /// A connection to the primary, as its superuser.
    pub async fn primary(&self) -> PgConnection {
        connect(&url(self.primary_port, "reflect")).await
    }

    /// Stops the replay of the primary's log, so that the standby falls behind.
    pub async fn pause_replay(&self) {
        self.standby().await.execute("select pg_wal_replay_pause()").await.expect("the replay can be paused");
        self.wait_until("select pg_get_wal_replay_pause_state() = 'paused'").await;
    }

    /// Continues the replay, and waits until the standby has everything.
    pub async fn resume_replay(&self) {
        self.standby()
            .await
            .execute("select pg_wal_replay_resume()")
            .await
            .expect("the replay can be resumed");
        self.wait_for_replay().await;
    }

    /// Waits until the standby has everything that is committed now.
    pub async fn wait_for_replay(&self) {
        let mut primary = self.primary().await;
        let end = sqlx::query_scalar("select pg_current_wal_flush_lsn()::text");
        let end: String = end.fetch_one(&mut primary).await.expect("the primary answers");
        self.wait_until(&format!("select coalesce(pg_last_wal_replay_lsn() >= '{end}', false)")).await;
    }

    /// The URL of the standby, as its superuser.
    pub fn standby_url(&self) -> SecretString {
        self.read_url_as("reflect")
    }

    /// Makes the standby a primary of its own. Returns when it accepts writes.
    pub async fn promote(&self) {
        self.standby().await.execute("select pg_promote()").await.expect("the standby can be promoted");
        self.wait_until("select not pg_is_in_recovery()").await;
    }

    /// Makes commits of the primary wait for the standby, or not. With `true`, the standby must be down.
    pub async fn set_synchronous(&self, synchronous: bool) {
        let names = if synchronous { "*" } else { "" };
        let change = format!("alter system set synchronous_standby_names = '{names}'");
        let mut primary = self.primary().await;
        primary.execute(sqlx::AssertSqlSafe(change)).await.expect("a setting can be changed");
        primary.execute("select pg_reload_conf()").await.expect("settings can be read again");
        while synchronous && !self.commit_waits(&mut primary).await {}
    }

    /// Makes a commit, and returns whether it waited for the standby, which must be down. Its wait is cancelled.
    async fn commit_waits(&self, primary: &mut PgConnection) -> bool {
        const SESSION: &str = "select pg_backend_pid()";
        const WAITS: &str =
            "select count(*) = 1 from pg_stat_activity where wait_event = 'SyncRep' and pid = $1";
        let mut session = self.primary().await;
        let process: i32 = sqlx::query_scalar(SESSION).fetch_one(&mut session).await.expect("a session");
        let mut commit = session.execute("select pg_logical_emit_message(true, 'test', '')");
        loop {
            tokio::select! {
                done = &mut commit => return done.map(|_| false).expect("a commit succeeds"),
                () = tokio::time::sleep(POLL) => {}
            }
            let waits = sqlx::query_scalar(WAITS).bind(process).fetch_one(&mut *primary).await;
            if waits.expect("the primary answers") {
                let cancel = sqlx::query("select pg_cancel_backend($1)").bind(process);
                cancel.execute(&mut *primary).await.expect("a wait can be cancelled");
                return commit.await.map(|_| true).expect("a commit succeeds");
            }
        }
    }

    /// Ends the standby, as a crash does.
    pub fn stop_standby(&self) {
        stop(&self.data("standby"));
    }

    async fn standby(&self) -> PgConnection {
        connect(&url(self.standby_port, "reflect")).await
    }

    async fn wait_until(&self, condition: &str) {
        let mut standby = self.standby().await;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let holds = sqlx::query_scalar(sqlx::AssertSqlSafe(condition.to_owned()));
            if holds.fetch_one(&mut standby).await.expect("the standby answers") {
                return;
            }
            assert!(Instant::now() < deadline, "the standby does not reach: {condition}");
            tokio::time::sleep(POLL).await;
        }
    }

    fn data(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Drop for ReplicatedDb {
    fn drop(&mut self) {
        for name in ["standby", "primary"] {
            stop(&self.data(name));
        }
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn start(data: &Path, port: u16) {
    let settings = [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "fsync=off",
        "max_connections=40",
        "shared_buffers=16MB",
        "timezone=UTC",
    ];
    let settings: String = settings.iter().map(|setting| format!(" -c '{setting}'")).collect();
    let mut pg_ctl = programs::postgres("pg_ctl");
    pg_ctl.args(["start", "--wait", "--silent", "-D"]).arg(data);
    pg_ctl.arg("-l").arg(data.with_extension("log")).arg("-o").arg(format!("-p {port}{settings}"));
    programs::run(&mut pg_ctl);
}

/// Also for a server that has ended already.
fn stop(data: &Path) {
    let mut pg_ctl = programs::postgres("pg_ctl");
    let _ = pg_ctl.args(["stop", "--wait", "--silent", "-m", "immediate", "-D"]).arg(data).output();
}

async fn connect(url: &str) -> PgConnection {
    PgConnection::connect(url).await.expect("the server answers")
}

fn url(port: u16, database: &str) -> String {
    format!("postgres://reflect@127.0.0.1:{port}/{database}")
}

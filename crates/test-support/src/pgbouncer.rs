//! A PgBouncer in transaction mode in front of the test cluster.

use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use secrecy::SecretString;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};

use crate::database::TestDb;
use crate::programs;

const PATIENCE: Duration = Duration::from_secs(20);

/// A running PgBouncer. It ends with this value.
#[derive(Debug)]
pub struct PgBouncer {
    child: Child,
    folder: PathBuf,
    url: String,
}

impl PgBouncer {
    /// Starts PgBouncer for a database, with at most two sessions of Postgres. `settings` are lines of its configuration.
    pub async fn start(db: &TestDb, settings: &str) -> Self {
        let (folder, port) = (programs::private_folder(), programs::free_port());
        let place = db.place();
        let (host, server_port, shown) = (&place.host, place.port, folder.display());
        let configuration = format!(
            "[databases]\n* = host={host} port={server_port}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = trust\nauth_file = {shown}/users\nlogfile = {shown}/log\npidfile = {shown}/pid\n\
             pool_mode = transaction\ndefault_pool_size = 2\nmax_client_conn = 100\n{settings}\n"
        );
        let user = format!("\"{}\" \"{}\"\n", place.user, place.password);
        std::fs::write(folder.join("users"), user).expect("a file can be written");
        std::fs::write(folder.join("settings.ini"), configuration).expect("a file can be written");
        let mut command = programs::pgbouncer();
        command.arg("--quiet").arg(folder.join("settings.ini"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("PgBouncer starts");
        let url = format!("postgres://{}@127.0.0.1:{port}/{}", place.user, place.database);
        let started = Self { child, folder, url };
        started.wait_until_ready(port).await;
        started
    }

    /// The URL of the database through this PgBouncer, as the superuser of the test cluster.
    pub fn url(&self) -> SecretString {
        self.url.clone().into()
    }

    /// A connection of another client, without parameters that PgBouncer does not know.
    pub async fn client(&self) -> PgConnection {
        let options: PgConnectOptions = self.url.parse().expect("a URL");
        PgConnection::connect_with(&options.extra_float_digits(None)).await.expect("PgBouncer answers")
    }

    async fn wait_until_ready(&self, port: u16) {
        let deadline = Instant::now() + PATIENCE;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            let log = || std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(Instant::now() < deadline, "PgBouncer did not start: {}", log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

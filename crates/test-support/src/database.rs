//! One database per test, cloned from a template. The template is named after a digest of the migrations, so parallel
//! tests, processes and checkouts share it without configuration.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use reflect_store::{MigrationSettings, Store, StoreSettings, migrations_digest};
use secrecy::{ExposeSecret, SecretString};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};
use tokio::sync::OnceCell;
use uuid::Uuid;

/// The cluster that `cargo xtask db` starts by default.
const DEFAULT_URL: &str = "postgres://reflect@127.0.0.1:54329/postgres";
/// Fewer than in an installation, because that makes a clone faster.
const HASH_PARTITIONS: u16 = 2;
const PARTITION_DAYS: u16 = 90;
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

static TEMPLATE: OnceCell<String> = OnceCell::const_new();

/// A migrated database for one test. It is dropped with this value.
#[derive(Debug)]
pub struct TestDb {
    name: String,
    url: String,
}

/// Where a database is.
pub(crate) struct DatabasePlace {
    pub(crate) user: String,
    pub(crate) password: String,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) database: String,
}

impl TestDb {
    /// Clones the template.
    pub async fn create() -> Self {
        let template = TEMPLATE.get_or_init(make_template).await;
        Self::with_statement(&format!("template \"{template}\" strategy file_copy")).await
    }

    /// An empty database, for tests of the migrations.
    pub async fn create_empty() -> Self {
        Self::with_statement("template template0").await
    }

    async fn with_statement(options: &str) -> Self {
        let seconds = seconds_now();
        let name = format!("test_{seconds}_{}", Uuid::now_v7().simple());
        let mut server = server().await;
        run(&mut server, format!("create database \"{name}\" {options}")).await;
        let url = url_of(&name);
        Self { name, url }
    }

    /// The database's URL, as the superuser of the test cluster.
    pub fn url(&self) -> SecretString {
        self.url.clone().into()
    }

    /// The same database, as another user.
    pub fn url_as(&self, user: &str) -> SecretString {
        let (_, rest) = self.url.split_once('@').expect("a URL with a user");
        format!("postgres://{user}@{rest}").into()
    }

    /// The host of the test cluster.
    pub fn address(&self) -> String {
        let (_, rest) = self.url.split_once('@').expect("a URL with a user");
        rest.split([':', '/']).next().unwrap_or_default().to_owned()
    }

    /// The parts of the URL.
    pub(crate) fn place(&self) -> DatabasePlace {
        let (user, rest) =
            self.url.trim_start_matches("postgres://").split_once('@').expect("a URL with a user");
        let (user, password) = user.split_once(':').unwrap_or((user, ""));
        let (server, database) = rest.rsplit_once('/').expect("a URL with a database");
        let (host, port) = server.rsplit_once(':').unwrap_or((server, "5432"));
        DatabasePlace {
            user: user.to_owned(),
            password: password.to_owned(),
            host: host.to_owned(),
            port: port.parse().expect("a port"),
            database: database.to_owned(),
        }
    }

    /// Settings to open a store.
    pub fn settings(&self) -> StoreSettings {
        StoreSettings::new(self.url(), 8)
    }

    /// Settings to migrate this database with few partitions.
    pub fn migration(&self) -> MigrationSettings {
        MigrationSettings {
            url: self.url(),
            hash_partitions: HASH_PARTITIONS,
            partition_days: PARTITION_DAYS,
        }
    }

    /// A store that uses this database.
    pub async fn store(&self) -> Store {
        Store::connect(&self.settings()).await.expect("the test database opens")
    }

    /// A connection as another user. The test cluster needs no password.
    pub async fn connect_as(&self, user: &str) -> PgConnection {
        let url = self.url_as(user);
        PgConnection::connect(url.expose_secret()).await.expect("the test database opens")
    }

    /// A connection as the superuser, which row-level security does not restrict.
    pub async fn superuser(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("the test database opens")
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let name = self.name.clone();
        // The test's runtime is shutting down, so a thread with its own runtime drops the database.
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            if let Ok(runtime) = runtime {
                runtime.block_on(async {
                    let mut server = server().await;
                    run(&mut server, format!("drop database if exists \"{name}\" with (force)")).await;
                });
            }
        });
        let _ = dropped.join();
    }
}

/// Creates the template unless it exists.
async fn make_template() -> String {
    // The day is part of the name, because a template contains the partitions of the next weeks.
    let day = seconds_now() / (24 * 60 * 60);
    let name = format!("template_{}_{day}", migrations_digest());
    let mut server = server().await;
    let lock = "select pg_advisory_lock(7241)".to_owned();
    run(&mut server, lock).await;
    sweep(&mut server).await;
    let exists: Option<i32> = sqlx::query_scalar("select 1 from pg_database where datname = $1")
        .bind(&name)
        .fetch_optional(&mut server)
        .await
        .expect("the test cluster answers");
    if exists.is_none() {
        let unfinished = format!("{name}_unfinished");
        run(&mut server, format!("drop database if exists \"{unfinished}\" with (force)")).await;
        run(&mut server, format!("create database \"{unfinished}\" template template0")).await;
        let settings = MigrationSettings {
            url: url_of(&unfinished).into(),
            hash_partitions: HASH_PARTITIONS,
            partition_days: PARTITION_DAYS,
        };
        Store::migrate(&settings).await.expect("the migrations apply");
        run(&mut server, format!("alter database \"{unfinished}\" rename to \"{name}\"")).await;
    }
    run(&mut server, "select pg_advisory_unlock(7241)".to_owned()).await;
    name
}

/// Removes the databases of killed test runs.
async fn sweep(server: &mut PgConnection) {
    let names: Vec<String> =
        sqlx::query_scalar("select datname from pg_database where datname like 'test\\_%'")
            .fetch_all(&mut *server)
            .await
            .expect("the test cluster answers");
    let oldest = seconds_now() - LEFTOVER_AGE.as_secs();
    let made = |name: &str| name.split('_').nth(1).and_then(|seconds| seconds.parse::<u64>().ok());
    for name in names.into_iter().filter(|name| made(name).is_some_and(|made| made < oldest)) {
        run(server, format!("drop database if exists \"{name}\" with (force)")).await;
    }
}

async fn server() -> PgConnection {
    let url = server_url();
    PgConnection::connect(url).await.unwrap_or_else(|error| {
        panic!("no test cluster at {url} ({error}): run `just db`, or set REFLECT_TEST_DATABASE_URL")
    })
}

async fn run(server: &mut PgConnection, statement: String) {
    server.execute(AssertSqlSafe(statement)).await.expect("the statement succeeds");
}

#[expect(clippy::disallowed_methods, reason = "the environment configures the test cluster")]
fn server_url() -> &'static str {
    static URL: OnceLock<String> = OnceLock::new();
    URL.get_or_init(|| std::env::var("REFLECT_TEST_DATABASE_URL").unwrap_or_else(|_| DEFAULT_URL.to_owned()))
}

fn url_of(database: &str) -> String {
    let (server, _) = server_url().rsplit_once('/').expect("a URL with a database");
    format!("{server}/{database}")
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

//! The server of the product in this process, on its own socket, with the models of the benchmark.

use std::time::Duration;

use anyhow::{Context, anyhow};
use reflect_engine::{Engine, EngineSettings, KeyRequest, Models, Visitor};
use reflect_server::telemetry::{self, LogFormat};
use reflect_server::{App, ServerSettings};
use reflect_store::{AuditActor, RequestOrigin, Store, StoreSettings, WorkSettings};
use reflect_types::ProjectSlug;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// The name of the server's threads, by which their CPU time is found.
const THREADS: &str = "reflect-server";
/// The defaults of the binary.
const CONNECTIONS: u32 = 20;
const LEARNERS: usize = 8;
const DRAIN: Duration = Duration::from_secs(5);

/// A running server. It stops when dropped.
#[derive(Debug)]
pub struct Server {
    /// The address that it listens on.
    pub address: String,
    /// A key of the project.
    pub key: String,
    /// Its engine.
    pub engine: Engine,
    /// The owner of the key, for calls of the engine without HTTP.
    pub visitor: Visitor,
    stop: CancellationToken,
    runtime: Runtime,
}

/// Sets up logging and metrics like the binary. Nothing is logged without a problem.
pub fn start_telemetry() -> anyhow::Result<()> {
    // Filling the database takes statements of seconds, which the driver would log.
    telemetry::start_logging(LogFormat::Json, "warn,sqlx=error", None).map_err(|error| anyhow!(error))?;
    telemetry::start_metrics().map_err(|error| anyhow!(error))?;
    Ok(())
}

impl Server {
    /// Starts a server with its worker over a migrated database.
    pub fn start(database_url: &str, project: &ProjectSlug, models: Models) -> anyhow::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().thread_name(THREADS).enable_all().build()?;
        let stop = CancellationToken::new();
        let (address, key, engine, visitor) = runtime.block_on(async {
            let url = database_url.to_owned().into();
            let store = Store::connect(&StoreSettings::new(url, CONNECTIONS)).await?;
            let engine = Engine::new(store, models, EngineSettings::default());
            let actor = AuditActor::local("bench");
            let request = KeyRequest::master("bench".to_owned());
            let made = engine.keys.create_as_operator(Some(project), request, &actor).await?;
            let key = made.text.expose().to_owned();
            let holder = engine.access.authenticate(&key, None).await?;
            let visitor = engine.access.enter(&holder, project, false, &RequestOrigin::default()).await?;
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let address = listener.local_addr().context("the socket has an address")?.to_string();
            let service = reflect_server::service(App::new(engine.clone(), ServerSettings::default()));
            runtime.spawn(reflect_server::serve(listener, service, stop.clone(), DRAIN));
            let (worker, until) = (engine.clone(), stop.clone());
            runtime.spawn(async move {
                let settings =
                    WorkSettings { concurrency: LEARNERS, grace: DRAIN, ..WorkSettings::default() };
                worker.worker.run(&settings, until).await;
            });
            anyhow::Ok((address, key, engine, visitor))
        })?;
        Ok(Self { address, key, engine, visitor, stop, runtime })
    }

    /// Runs a task on the server's threads.
    pub fn run<T: Send + 'static>(
        &self,
        future: impl Future<Output = anyhow::Result<T>> + Send + 'static,
    ) -> anyhow::Result<T> {
        self.runtime.block_on(self.runtime.spawn(future))?
    }

    /// Returns when the receipts of all answered queries are stored.
    pub fn flush_receipts(&self) -> anyhow::Result<()> {
        let project = self.engine.store.project(self.visitor.project);
        self.run(async move {
            project.receipts().flush().await;
            Ok(())
        })
    }

    /// The authorization header line.
    pub fn authorization(&self) -> String {
        format!("authorization: Bearer {}\r\n", self.key)
    }

    /// A path in the project.
    pub fn path(&self, rest: &str) -> String {
        format!("/v1/projects/{}{rest}", self.visitor.slug)
    }

    /// CPU seconds of the server's threads.
    pub fn cpu_seconds() -> anyhow::Result<f64> {
        let mut nanoseconds = 0.0;
        for thread in std::fs::read_dir("/proc/self/task")? {
            let thread = thread?.path();
            if std::fs::read_to_string(thread.join("comm"))?.trim() == THREADS {
                let times = std::fs::read_to_string(thread.join("schedstat"))?;
                let running = times.split(' ').next().and_then(|text| text.parse::<f64>().ok());
                nanoseconds += running.context("an unexpected form of /proc/*/schedstat")?;
            }
        }
        Ok(nanoseconds / 1e9)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
        self.runtime.block_on(self.engine.store.close());
    }
}

//! `reflect demo`: a small example project. Its runs are sent through the public API and are marked as examples.

mod runs;

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_sdk::types::TraceId;
use reflect_sdk::{MemoryQuery, ReflectClient};
use reflect_types::{ProjectSlug, Scope};
use secrecy::ExposeSecret;

use crate::config::KeyConfig;
use crate::config::dev::DemoConfig;
use crate::local_server::connection::{self, Connection};
use crate::local_server::folder::{self, Folder};
use crate::operator::open_store;
use crate::output::print_text;

const PROJECT: &str = "demo";
/// How many memories each run is shown.
const SHOWN: usize = 3;
/// How long to wait until a run is learned from.
const LEARN_TIMEOUT: Duration = Duration::from_secs(120);

/// Creates the example project, or removes it.
pub(crate) async fn run(config: DemoConfig) -> anyhow::Result<()> {
    let connection = match (&config.base_url, &config.api_key) {
        (Some(base_url), Some(key)) => Connection {
            base_url: base_url.clone(),
            api_key: key.expose_secret().to_owned(),
            project_id: PROJECT.to_owned(),
        },
        _ => development_connection(&config).await?,
    };
    match config.clean {
        true => clean(&connection.client()?).await,
        false => seed(&connection).await,
    }
}

/// Creates the example project on a development server in this process.
pub(crate) async fn seed_here(folder: &Folder, base_url: &str, engine: &Engine) -> anyhow::Result<()> {
    let connection = keep(&folder.demo_connection(), base_url, engine).await?;
    if is_filled(&connection.client()?).await? {
        return Ok(());
    }
    seed(&connection).await
}

async fn development_connection(config: &DemoConfig) -> anyhow::Result<Connection> {
    let folder = folder::existing(&config.folder)?;
    let not_running = || {
        format!("no development server is running in {}; start `reflect dev` first", folder.path().display())
    };
    let known = connection::read(&folder.connection()).with_context(not_running)?;
    known.client()?.with_timeout(Duration::from_secs(5)).server.health().await.with_context(not_running)?;
    let store = open_store(folder.database_url().into(), &config.encryption).await;
    let store = store.with_context(not_running)?;
    let settings =
        EngineSettings { key_lifetime: KeyConfig::UNLIMITED.lifetime(), ..EngineSettings::default() };
    let engine = Engine::new(store, Models::default(), settings);
    let connection = keep(&folder.demo_connection(), &known.base_url, &engine).await?;
    engine.store.close().await;
    Ok(connection)
}

async fn keep(path: &Path, base_url: &str, engine: &Engine) -> anyhow::Result<Connection> {
    let project: ProjectSlug = PROJECT.parse()?;
    connection::keep(path, base_url, engine, &project, Scope::ALL).await
}

async fn is_filled(client: &ReflectClient) -> anyhow::Result<bool> {
    Ok(!client.traces.page(None, None, Some(1)).await?.items.is_empty())
}

async fn clean(client: &ReflectClient) -> anyhow::Result<()> {
    client.project.delete().await?;
    print_text("Removed the example project with all its runs and memories.")
}

/// Sends the runs wave by wave. Each wave waits until the server has learned from the wave before, and then uses those
/// memories.
async fn seed(connection: &Connection) -> anyhow::Result<()> {
    let client = connection.client()?;
    anyhow::ensure!(
        !is_filled(&client).await?,
        "the project {PROJECT} already has runs; remove it with `reflect demo --clean`"
    );
    let runs = runs::all()?;
    let last = runs.iter().map(|run| run.wave).max().unwrap_or_default();
    let (mut shown, mut learned) = (0, 0);
    for wave in 1..=last {
        let mut reviewed: Vec<TraceId> = Vec::new();
        for run in runs.iter().filter(|run| run.wave == wave) {
            let recalled = client.memories.query(MemoryQuery::new(run.task.as_str()).limit(SHOWN)).await?;
            shown += recalled.memories.len();
            let trace = run.trace(&recalled);
            if run.is_reviewed() {
                reviewed.push(trace.trace_id());
            }
            client.traces.create(trace).await?;
        }
        eprintln!(
            "Sent part {wave} of {last} of the example runs. Learning from {} reviews …",
            reviewed.len()
        );
        for trace in reviewed {
            client.traces.wait_for(trace, true, LEARN_TIMEOUT).await?;
            learned += 1;
        }
    }
    print_text(&format!(
        "  Example project `{PROJECT}`: {} runs, invented and marked as examples.\n\
         \x20 {learned} are reviewed and became memories, {} are waiting for a review; memories were used {shown} times.\n\
         \x20 Console: {}/p/{PROJECT}\n\
         \x20 Review in this terminal: reflect review --project {PROJECT}\n\
         \x20 Remove it: reflect demo --clean",
        runs.len(),
        runs.len() - learned,
        connection.base_url
    ))
}

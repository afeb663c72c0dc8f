//! `reflect demo`: a small example project, so that there is something to look at. Its runs go the way that every run
//! goes, through the public API, and say of themselves that they are examples.

mod runs;

use std::path::Path;

use anyhow::Context;
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_sdk::types::TraceId;
use reflect_sdk::{MemoryQuery, ReflectClient};
use reflect_types::{ProjectSlug, Scope};
use secrecy::ExposeSecret;

use crate::commands::{open_store_at, print_text};
use crate::dev::connection::{self, Connection};
use crate::dev::folder::Folder;
use crate::dev::{self, PATIENCE};
use crate::dev_config::DemoConfig;

const PROJECT: &str = "demo";
const SHOWN: usize = 3;

/// Fills the example project, or removes it.
pub(crate) async fn run(config: DemoConfig) -> anyhow::Result<()> {
    let connection = match (&config.base_url, &config.api_key) {
        (Some(base_url), Some(key)) => Connection {
            base_url: base_url.clone(),
            api_key: key.expose_secret().to_owned(),
            project_id: PROJECT.to_owned(),
        },
        _ => of_the_development_server(&config).await?,
    };
    match config.clean {
        true => clean(&connection.client()?).await,
        false => seed(&connection).await,
    }
}

/// Fills the example project of a development server in this process.
pub(crate) async fn seed_here(folder: &Folder, base_url: &str, engine: &Engine) -> anyhow::Result<()> {
    let connection = keep(&folder.demo_connection(), base_url, engine).await?;
    if is_filled(&connection.client()?).await? {
        return Ok(());
    }
    seed(&connection).await
}

async fn of_the_development_server(config: &DemoConfig) -> anyhow::Result<Connection> {
    let folder = dev::existing_folder(&config.folder)?;
    let nobody =
        || format!("no development server runs in {}; start `reflect dev` first", folder.path().display());
    let known = connection::read(&folder.connection()).with_context(nobody)?;
    known.client()?.with_timeout(std::time::Duration::from_secs(5)).health().await.with_context(nobody)?;
    let store = open_store_at(folder.database_url().into()).await.with_context(nobody)?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let connection = keep(&folder.demo_connection(), &known.base_url, &engine).await?;
    engine.store().close().await;
    Ok(connection)
}

async fn keep(path: &Path, base_url: &str, engine: &Engine) -> anyhow::Result<Connection> {
    let project: ProjectSlug = PROJECT.parse()?;
    connection::keep(path, base_url, engine, &project, Scope::ALL).await
}

async fn is_filled(client: &ReflectClient) -> anyhow::Result<bool> {
    Ok(!client.page_of_traces(None, None, Some(1)).await?.items.is_empty())
}

async fn clean(client: &ReflectClient) -> anyhow::Result<()> {
    client.delete_project().await?;
    print_text("The example project is removed, with all its runs and memories.")
}

/// Sends the runs wave by wave. Each waits until the one before is learned from, so that its agents are shown what came
/// of that.
async fn seed(connection: &Connection) -> anyhow::Result<()> {
    let client = connection.client()?;
    anyhow::ensure!(
        !is_filled(&client).await?,
        "the project {PROJECT} has runs already; `reflect demo --clean` removes it"
    );
    let runs = runs::all()?;
    let last = runs.iter().map(|run| run.wave).max().unwrap_or_default();
    let (mut shown, mut learned) = (0, 0);
    for wave in 1..=last {
        let mut reviewed: Vec<TraceId> = Vec::new();
        for run in runs.iter().filter(|run| run.wave == wave) {
            let recalled = client.query_memories(MemoryQuery::new(run.task.as_str()).limit(SHOWN)).await?;
            shown += recalled.memories.len();
            let trace = run.trace(&recalled);
            if run.is_reviewed() {
                reviewed.push(trace.trace_id());
            }
            client.create_trace(trace).await?;
        }
        eprintln!("Example runs, part {wave} of {last}: sent. Learning from {} reviews …", reviewed.len());
        for trace in reviewed {
            client.wait_for_trace(trace, true, PATIENCE).await?;
            learned += 1;
        }
    }
    print_text(&format!(
        "  Example project `{PROJECT}`: {} runs, made up and marked as examples.\n\
         \x20 {learned} are reviewed and became memories, {} wait for a review; memories were shown {shown} times.\n\
         \x20 Look at it in the console: {}/p/{PROJECT}\n\
         \x20 Or here: reflect review --project {PROJECT}\n\
         \x20 `reflect demo --clean` removes it.",
        runs.len(),
        runs.len() - learned,
        connection.base_url
    ))
}

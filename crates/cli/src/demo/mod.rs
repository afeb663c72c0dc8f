//! `reflect demo`: three weeks of an invented support desk. Its runs are sent through the public API with their own dates,
//! and are marked as examples.

mod example_judge;
mod example_run;
mod loading;
mod lots;
mod opening_hours;
mod planted_lesson;
mod scenario;
mod topics;

use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_sdk::ReflectClient;
use reflect_sdk::api::ChangeProject;
use reflect_types::{ProjectSlug, Scope};
use secrecy::{ExposeSecret, SecretString};

use crate::config::dev::DemoConfig;
use crate::config::{EncryptionConfig, KeyConfig};
use crate::local_server::connection::{self, Connection};
use crate::local_server::folder::{self, Folder};
use crate::operator::open_store;
use crate::output::print_text;
use example_judge::ExampleJudge;
use loading::Loaded;
use scenario::Scenario;

const PROJECT: &str = "demo";
/// The share of runs without memories, which shows what memories are worth.
const HOLDOUT_RATE: f64 = 0.2;

/// Creates the example project, or removes it.
pub(crate) async fn run(config: DemoConfig) -> anyhow::Result<()> {
    let (connection, engine) = match (&config.base_url, &config.api_key) {
        (Some(base_url), Some(key)) => {
            let (base_url, api_key) = (base_url.clone(), key.expose_secret().to_owned());
            let engine = match &config.database_url {
                Some(url) => Some(engine_at(url.clone(), &config.encryption).await?),
                None => None,
            };
            (Connection { base_url, api_key, project_id: PROJECT.to_owned() }, engine)
        }
        _ => {
            let (connection, engine) = development_connection(&config).await?;
            (connection, Some(engine))
        }
    };
    match config.clean {
        true => clean(&connection.client()?).await?,
        false => seed(&connection, engine.as_ref()).await?,
    }
    if let Some(engine) = engine {
        engine.store.close().await;
    }
    Ok(())
}

/// Creates the example project on a development server in this process.
pub(crate) async fn seed_here(folder: &Folder, base_url: &str, engine: &Engine) -> anyhow::Result<()> {
    let connection = keep(&folder.demo_connection(), base_url, engine).await?;
    if is_filled(&connection.client()?).await? {
        return Ok(());
    }
    seed(&connection, Some(engine)).await
}

async fn development_connection(config: &DemoConfig) -> anyhow::Result<(Connection, Engine)> {
    let folder = folder::existing(&config.folder)?;
    let not_running = || {
        format!("no development server is running in {}; start `reflect dev` first", folder.path().display())
    };
    let known = connection::read(&folder.connection()).with_context(not_running)?;
    known.client()?.with_timeout(Duration::from_secs(5)).server.health().await.with_context(not_running)?;
    let engine = engine_at(folder.database_url().into(), &config.encryption).await;
    let engine = engine.with_context(not_running)?;
    let connection = keep(&folder.demo_connection(), &known.base_url, &engine).await?;
    Ok((connection, engine))
}

async fn engine_at(database: SecretString, encryption: &EncryptionConfig) -> anyhow::Result<Engine> {
    let settings =
        EngineSettings { key_lifetime: KeyConfig::UNLIMITED.lifetime(), ..EngineSettings::default() };
    Ok(Engine::new(open_store(database, encryption).await?, Models::default(), settings))
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

/// Fills the project. Only an engine on this machine can also store the verdicts of a judge.
async fn seed(connection: &Connection, engine: Option<&Engine>) -> anyhow::Result<()> {
    let client = connection.client()?;
    anyhow::ensure!(
        !is_filled(&client).await?,
        "the project {PROJECT} already has runs; remove it with `reflect demo --clean`"
    );
    let scenario = Scenario::until(SystemTime::now().into())?;
    let change = ChangeProject { holdout_rate: Some(HOLDOUT_RATE), ..ChangeProject::default() };
    client.project.update(change).await?;
    let judge = match engine {
        Some(engine) => ExampleJudge::of(engine, &PROJECT.parse()?).await?,
        None => None,
    };
    let Loaded { runs, reviewed, with_lesson } = Box::pin(loading::load(&client, &scenario, judge)).await?;
    print_text(&format!(
        "  Example project `{PROJECT}`: {runs} runs of a support desk in three weeks, invented and marked as examples.\n\
         \x20 {reviewed} are reviewed, {} are waiting for a review; {with_lesson} runs used a lesson of earlier ones.\n\
         \x20 Console: {}/p/{PROJECT}\n\
         \x20 Review in this terminal: reflect review --project {PROJECT}\n\
         \x20 Remove it: reflect demo --clean",
        runs - reviewed,
        connection.base_url
    ))
}

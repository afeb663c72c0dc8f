//! `reflect audit export`: the audit log as JSON lines, for other systems.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_store::ChainLink;
use reflect_types::{ProjectId, ProjectSlug};
use serde_json::{Value, json};

use super::{LogNames, find, item};
use crate::operator::operator;
use crate::output::Output;
use crate::server_database::ServerDatabase;

/// Links per query.
const PAGE: i64 = 500;
/// How often `--follow` looks for new entries.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Write the log as JSON lines, oldest first: of all projects and the installation, or of one project. Each line has its
/// place in the hash chain. The export itself is an entry of the log.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[command(flatten)]
    database: ServerDatabase,
    /// Only this project.
    #[arg(long)]
    project: Option<ProjectSlug>,
    /// Keep running, and write new entries as they come in.
    #[arg(long)]
    follow: bool,
    /// A file that stores how far the export has come. The next export with the same file continues there.
    #[arg(long, value_name = "FILE")]
    position: Option<PathBuf>,
}

/// The last exported link of each chain.
type Position = BTreeMap<i32, i64>;

pub(super) async fn run(arguments: Export, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let only = match &arguments.project {
        Some(slug) => Some(find(&store, slug).await?),
        None => None,
    };
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let can_write = engine.store.server().check_writable().is_ok();
    if can_write {
        let target = arguments.project.as_ref().map_or("all", ProjectSlug::as_str);
        engine.store.installation().admin().record_audit(&operator(), "audit.export", target, None).await?;
    }
    let file = arguments.position.as_deref();
    let mut position = file.map(read).transpose()?.unwrap_or_default();
    loop {
        if can_write {
            // Also without a running worker.
            engine.audit.chain_entries().await?;
        }
        if export(&engine, only, &mut position, output).await?
            && let Some(file) = file
        {
            write(file, &position)?;
        }
        if !arguments.follow {
            return Ok(());
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Writes all entries after the position. Returns whether there was any.
async fn export(
    engine: &Engine,
    only: Option<ProjectId>,
    position: &mut Position,
    output: &Output,
) -> anyhow::Result<bool> {
    let chains = engine.store.maintenance().audit_chains();
    let mut names = None;
    for length in chains.lengths().await? {
        let chain = length.chain;
        let done = position.get(&chain.number()).copied().unwrap_or_default();
        if done >= length.sequence || only.is_some_and(|only| only != chain) {
            continue;
        }
        let at = position.entry(chain.number()).or_default();
        if names.is_none() {
            names = Some(LogNames::read(&engine.store).await?);
        }
        loop {
            let links = chains.links(chain, *at, PAGE).await?;
            let Some(last) = links.last() else { break };
            *at = last.sequence;
            let project = names.as_ref().and_then(|names| names.slug(chain));
            for link in &links {
                output.json_line(&line(chain, project, link))?;
            }
        }
    }
    Ok(names.is_some())
}

/// An entry with its place. An entry that has expired has no content.
fn line(chain: ProjectId, project: Option<&str>, link: &ChainLink) -> Value {
    let hash: String = link.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut line =
        json!({ "project": project, "chain": chain.number(), "sequence": link.sequence, "hash": hash });
    let entry = link.entry.as_ref().map_or_else(|| json!({ "id": link.audit_id }), item);
    if let (Value::Object(line), Value::Object(entry)) = (&mut line, entry) {
        line.extend(entry);
    }
    line
}

fn read(file: &Path) -> anyhow::Result<Position> {
    match fs::read_to_string(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Position::new()),
        Err(error) => Err(error).with_context(|| format!("cannot read {}", file.display())),
        Ok(text) => serde_json::from_str(&text)
            .with_context(|| format!("{} is not a position of `reflect audit export`", file.display())),
    }
}

/// Atomically: an interrupted write must not lose the position.
fn write(file: &Path, position: &Position) -> anyhow::Result<()> {
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let written =
        fs::write(&unfinished, serde_json::to_string(position)?).and_then(|()| fs::rename(&unfinished, file));
    written.with_context(|| format!("cannot write {}", file.display()))
}

//! `reflect audit`: the audit log, for operators.

mod export;
mod key;
mod verify;

use std::collections::HashMap;

use clap::{Args, Subcommand};
use reflect_store::{AuditRow, Store};
use reflect_types::{ProjectId, ProjectSlug};
use serde_json::{Value, json};

use crate::failure::{Failure, Kind};
use crate::output::{Output, Table};
use crate::server_database::ServerDatabase;

/// Show the audit log, newest first.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Audit {
    #[command(subcommand)]
    command: Option<AuditCommand>,
    #[command(flatten)]
    database: ServerDatabase,
    /// The project. Without it: the entries of the installation, such as sign-ins, projects, master keys and members.
    #[arg(long)]
    project: Option<ProjectSlug>,
    /// The maximum number of entries.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    /// Write the log as JSON lines, oldest first, and continue where the last export ended.
    Export(export::Export),
    /// Check that no entry was changed, removed or reordered since it was signed.
    Verify(verify::Verify),
    /// Create the key that signs the log, and print its public part.
    Key(key::Key),
    /// Print the newest signature of each log, to keep a copy outside of the database.
    Heads(verify::Heads),
}

pub(crate) async fn run(arguments: Audit, output: &Output) -> anyhow::Result<()> {
    match arguments.command {
        None => list(&arguments, output).await,
        Some(AuditCommand::Export(export)) => export::run(export, output).await,
        Some(AuditCommand::Verify(verify)) => verify::run(verify, output).await,
        Some(AuditCommand::Key(key)) => key::run(&key, output),
        Some(AuditCommand::Heads(heads)) => verify::heads(heads, output).await,
    }
}

async fn list(arguments: &Audit, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let log = match &arguments.project {
        None => store.installation(),
        Some(slug) => store.project(find(&store, slug).await?),
    };
    let rows = log.admin().audit_entries(None, i64::from(arguments.limit)).await?;
    let items: Vec<_> = rows.iter().map(item).collect();
    output.list("audit.list/1", &items, None, || table(&rows))
}

async fn find(store: &Store, slug: &ProjectSlug) -> anyhow::Result<ProjectId> {
    let found = store.catalogue().find_project(slug).await?;
    let unknown = || {
        Failure::new(Kind::Other, "not_found", format!("there is no project {slug}"))
            .fix("run `reflect projects list` to see all projects")
    };
    Ok(found.ok_or_else(unknown)?)
}

/// The names of logs.
struct LogNames(HashMap<ProjectId, String>);

impl LogNames {
    async fn read(store: &Store) -> anyhow::Result<Self> {
        let rows = store.catalogue().project_rows(None).await?;
        Ok(Self(rows.into_iter().map(|row| (row.project_id, row.slug)).collect()))
    }

    /// The project. `None` for the installation and for a deleted project.
    fn slug(&self, chain: ProjectId) -> Option<&str> {
        self.0.get(&chain).map(String::as_str)
    }

    fn of(&self, chain: ProjectId) -> String {
        match self.slug(chain) {
            Some(slug) => slug.to_owned(),
            None if chain == ProjectId::INSTALLATION => "(installation)".to_owned(),
            None => format!("(deleted project {})", chain.number()),
        }
    }
}

fn item(row: &AuditRow) -> Value {
    let detail: Option<Value> = row.detail.as_deref().and_then(|detail| serde_json::from_str(detail).ok());
    json!({
        "id": row.audit_id,
        "at": row.created_at,
        "actor": row.actor,
        "action": row.action,
        "target": row.target,
        "address": row.address,
        "request_id": row.request_id,
        "detail": detail,
    })
}

fn table(rows: &[AuditRow]) -> Table {
    let mut table = Table::new(&["WHEN", "WHAT", "~TO", "~BY", "?FROM"]);
    for row in rows {
        let at = row.created_at.format("%Y-%m-%d %H:%M:%S").to_string();
        table.row(&[&at, &row.action, &row.target, &row.actor, row.address.as_deref().unwrap_or("-")]);
    }
    table
}

//! `reflect audit`: the audit log, for operators.

use clap::Args;
use reflect_store::AuditRow;
use reflect_types::ProjectSlug;
use serde_json::json;

use crate::failure::{Failure, Kind};
use crate::output::{Output, Table};
use crate::server_database::ServerDatabase;

/// Show the audit log, newest first.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(flatten)]
    database: ServerDatabase,
    /// The project. Without it: the entries of the installation, such as projects, master keys and members.
    #[arg(long)]
    project: Option<ProjectSlug>,
    /// The maximum number of entries.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
}

pub(crate) async fn run(arguments: Audit, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let of = match &arguments.project {
        None => store.installation(),
        Some(slug) => {
            let found = store.catalogue().find_project(slug).await?;
            let unknown = || {
                Failure::new(Kind::Other, "not_found", format!("there is no project {slug}"))
                    .fix("run `reflect projects list` to see all projects")
            };
            store.project(found.ok_or_else(unknown)?)
        }
    };
    let rows = of.admin().audit_entries(i64::from(arguments.limit)).await?;
    let items: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "id": row.audit_id,
                "at": row.created_at,
                "actor": row.actor,
                "action": row.action,
                "target": row.target,
                "request_id": row.request_id,
            })
        })
        .collect();
    output.list("audit.list/1", &items, None, || table(&rows))
}

fn table(rows: &[AuditRow]) -> Table {
    let mut table = Table::new(&["WHEN", "WHAT", "~TO", "~BY"]);
    for row in rows {
        let at = row.created_at.format("%Y-%m-%d %H:%M:%S").to_string();
        table.row(&[&at, &row.action, &row.target, &row.actor]);
    }
    table
}

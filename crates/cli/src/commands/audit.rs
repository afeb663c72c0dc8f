//! `reflect audit`: who did what, for whoever runs the installation.

use clap::Args;
use reflect_store::AuditRow;
use reflect_types::ProjectSlug;
use serde_json::json;

use crate::commands::open_store;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table};
use crate::servers_database::ServersDatabase;

/// Show who did what, newest first.
#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(flatten)]
    database: ServersDatabase,
    /// In this project. Without it, in the installation itself: projects, master keys, members.
    #[arg(long)]
    project: Option<ProjectSlug>,
    /// The most entries.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
}

pub(crate) async fn run(arguments: Audit, output: &Output) -> anyhow::Result<()> {
    let store = open_store(&arguments.database).await?;
    let of = match &arguments.project {
        None => store.installation(),
        Some(slug) => {
            let found = store.find_project(slug).await?;
            let unknown = || {
                Failure::new(Kind::Other, "not_found", format!("there is no project {slug}"))
                    .fix("`reflect projects list` shows them")
            };
            store.project(found.ok_or_else(unknown)?)
        }
    };
    let rows = of.audit_entries(i64::from(arguments.limit)).await?;
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

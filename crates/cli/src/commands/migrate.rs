//! `reflect migrate`.

use clap::Args;
use reflect_store::Store;

use crate::config::{DatabaseConfig, LayoutConfig};
use crate::output::print_text;

/// Apply database migrations.
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    #[command(flatten)]
    database: DatabaseConfig,
    #[command(flatten)]
    layout: LayoutConfig,
}

pub(crate) async fn migrate(arguments: Migrate) -> anyhow::Result<()> {
    let applied = Store::migrate(&arguments.layout.migration_settings(&arguments.database)).await?;
    match applied {
        0 => print_text("The database is up to date."),
        1 => print_text("Applied 1 migration."),
        many => print_text(&format!("Applied {many} migrations.")),
    }
}

//! `reflect migrate`.

use clap::Args;
use reflect_store::{MigrationSettings, Store};

use crate::commands::print_text;
use crate::config::{DatabaseConfig, LayoutConfig};

/// Bring the database to the form this version needs.
#[derive(Debug, Args)]
pub(crate) struct Migrate {
    #[command(flatten)]
    database: DatabaseConfig,
    #[command(flatten)]
    layout: LayoutConfig,
}

pub(crate) fn settings(database: &DatabaseConfig, layout: &LayoutConfig) -> MigrationSettings {
    MigrationSettings {
        url: database.database_url.clone(),
        hash_partitions: layout.hash_partitions,
        partition_days: layout.partition_days,
    }
}

pub(crate) async fn migrate(arguments: Migrate) -> anyhow::Result<()> {
    let applied = Store::migrate(&settings(&arguments.database, &arguments.layout)).await?;
    match applied {
        0 => print_text("The database is up to date."),
        1 => print_text("Applied 1 migration."),
        many => print_text(&format!("Applied {many} migrations.")),
    }
}

//! The commands, one file each.

mod keys;
mod members;
mod migrate;
mod serve;

use clap::Subcommand;
use reflect_store::{Actor, Store, StoreSettings};

use crate::config::{Config, DatabaseConfig};
use crate::configuration_page;

/// What can be asked of the binary.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the API and work in the background.
    Serve(Box<Config>),
    /// Bring the database to the form this version needs.
    Migrate(migrate::Migrate),
    /// Make, list and revoke API keys.
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Let people into the console, and list them.
    #[command(subcommand)]
    Members(members::Members),
    /// Print the description of the HTTP API (OpenAPI 3.1).
    Openapi,
    /// Print the page that describes every setting of `serve`.
    #[command(hide = true)]
    Configuration,
}

/// Runs one command to its end.
pub(crate) fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve(config) => in_runtime(serve::serve(*config)),
        Command::Migrate(arguments) => in_runtime(migrate::migrate(arguments)),
        Command::Keys(keys) => in_runtime(keys::run(keys)),
        Command::Members(members) => in_runtime(members::run(members)),
        Command::Openapi => print_text(&reflect_server::description()),
        Command::Configuration => print_text(&configuration_page::page()),
    }
}

fn in_runtime(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}

#[expect(clippy::print_stdout, reason = "what the command is for")]
fn print_text(text: &str) -> anyhow::Result<()> {
    println!("{}", text.trim_end());
    Ok(())
}

/// Few connections: a command does one thing at a time.
async fn open_store(database: &DatabaseConfig) -> anyhow::Result<Store> {
    let settings = StoreSettings { url: database.database_url.clone(), max_connections: 2, fault: None };
    Ok(Store::connect(&settings).await?)
}

/// How the audit log names whoever works on the command line.
fn operator() -> Actor {
    Actor { name: "operator".to_owned(), request_id: None }
}

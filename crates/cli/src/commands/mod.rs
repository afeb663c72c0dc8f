//! The commands, one file each.

mod actions;
mod api;
mod audit;
pub(crate) mod ids;
mod keys;
mod manual;
mod members;
mod memories;
mod migrate;
mod open;
mod packs;
mod pairs;
mod projects;
mod retrieve;
pub(crate) mod serve;
mod skill;
pub(crate) mod spool;
mod stats;
mod traces;
mod whoami;

use std::io::{self, Write};

use anyhow::Context;
use clap::Subcommand;
use reflect_store::{Actor, Store, StoreSettings};
use secrecy::SecretString;

use crate::config::Config;
use crate::dev_config::{DemoConfig, DevConfig};
use crate::doctor::{self, Doctor};
use crate::failure::{Failure, Kind};
use crate::output::Output;
use crate::review::{self, Review};
use crate::servers_database::ServersDatabase;
use crate::{command_line_page, configuration_page, demo, dev};

pub(crate) use keys::USUAL_SCOPES;

/// What can be asked of the binary.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// A server of your own on this machine, with its database, a project, a key and a console: one command, nothing to
    /// set up. Ctrl-C stops all of it; the data stays.
    Dev(Box<DevConfig>),
    /// Fill a small example project, or remove it.
    Demo(DemoConfig),
    /// Review runs: with the keys of the console, or one by its id.
    Review(Box<Review>),
    /// Look at the whole loop, and say what to do about what is wrong.
    Doctor(Doctor),
    /// See, send, import, export and delete runs.
    #[command(subcommand, alias = "trace")]
    Traces(traces::Traces),
    /// See memories and care for them.
    #[command(subcommand, alias = "memory")]
    Memories(memories::Memories),
    /// See which memories an agent would be given for a task.
    Retrieve(retrieve::Retrieve),
    /// Read the project's skill, or write it anew.
    #[command(subcommand)]
    Skill(skill::Skills),
    /// Show whether the loop turns and whether memories help.
    Stats(stats::Stats),
    /// See what was done to memories and reviews, and undo it.
    #[command(subcommand, alias = "action")]
    Actions(actions::Actions),
    /// See, send and remove runs that the Python SDK keeps on this machine until they arrive.
    #[command(subcommand)]
    Spool(spool::Spool),
    /// Make any call of the API.
    Api(api::Api),
    /// Open the console in a browser.
    Open(open::Open),
    /// Say which server, project and key commands use, and whether they work.
    Whoami(whoami::Whoami),
    /// Serve the API and work in the background.
    Serve(Box<Config>),
    /// Bring the database to the form this version needs.
    Migrate(migrate::Migrate),
    /// Make, list and delete projects.
    #[command(subcommand, alias = "project")]
    Projects(projects::Projects),
    /// Make, list and revoke API keys.
    #[command(subcommand, alias = "key")]
    Keys(keys::Keys),
    /// Let people into the console, and list them.
    #[command(subcommand, alias = "member")]
    Members(members::Members),
    /// Show who did what, newest first.
    Audit(audit::Audit),
    /// Write a project into a folder: a backup, a move, or an exit.
    Export(packs::Export),
    /// Make a project of such a folder.
    Import(packs::Import),
    /// Compare a project with such a folder.
    Verify(packs::Verify),
    /// Print the description of the HTTP API (OpenAPI 3.1).
    Openapi,
    /// Print completions for a shell.
    Completion(manual::Completion),
    /// Write a page for `man` about every command.
    Man(manual::Man),
    /// Print the page that describes every setting of `serve`.
    #[command(hide = true)]
    Configuration,
    /// Print the page that describes every command.
    #[command(hide = true, name = "command-line")]
    ReferencePage,
    /// Become a program that ends with its parent.
    #[command(hide = true, name = dev::keeper::COMMAND)]
    RunUntilOrphaned(dev::keeper::Keeper),
    /// Print every command with its arguments.
    #[command(hide = true)]
    Commands,
}

impl Command {
    /// Whether models may run in this process.
    pub(crate) fn loads_models(&self) -> bool {
        matches!(self, Self::Dev(_) | Self::Serve(_))
    }
}

/// Runs one command to its end.
pub(crate) fn run(command: Command, output: &Output) -> anyhow::Result<()> {
    match command {
        Command::Dev(config) => in_runtime(Box::pin(dev::run(*config))),
        Command::Demo(config) => in_runtime(Box::pin(demo::run(config))),
        Command::RunUntilOrphaned(keeper) => dev::keeper::run(&keeper),
        Command::Serve(config) => in_runtime(serve::serve(*config)),
        Command::Migrate(arguments) => in_runtime(migrate::migrate(arguments)),
        Command::Keys(keys) => in_runtime(keys::run(keys, output)),
        Command::Members(members) => in_runtime(members::run(members, output)),
        Command::Export(arguments) => in_runtime(packs::export(arguments, output)),
        Command::Import(arguments) => in_runtime(packs::import(arguments, output)),
        Command::Verify(arguments) => in_runtime(packs::verify(arguments, output)),
        Command::Openapi => print_text(&reflect_server::description()),
        Command::Configuration => print_text(&configuration_page::page()),
        Command::ReferencePage => print_text(&command_line_page::page(crate::command())),
        Command::Actions(actions) => as_client(actions::run(actions, output)),
        Command::Api(arguments) => as_client(api::run(arguments, output)),
        Command::Audit(arguments) => in_runtime(audit::run(arguments, output)),
        Command::Commands => manual::commands(output),
        Command::Completion(arguments) => manual::completion(&arguments, output),
        Command::Man(arguments) => manual::man(&arguments, output),
        Command::Memories(memories) => as_client(memories::run(memories, output)),
        Command::Open(arguments) => open::run(&arguments, output),
        Command::Projects(projects) => in_runtime(projects::run(projects, output)),
        Command::Retrieve(arguments) => as_client(retrieve::run(arguments, output)),
        Command::Skill(skills) => as_client(skill::run(skills, output)),
        Command::Spool(spool) => spool::run(spool, output),
        Command::Stats(arguments) => as_client(stats::run(arguments, output)),
        Command::Traces(traces) => as_client(traces::run(traces, output)),
        Command::Whoami(arguments) => as_client(whoami::run(arguments, output)),
        Command::Review(arguments) => as_client(review::run(*arguments, output)),
        Command::Doctor(arguments) => as_client(doctor::run(arguments, output)),
    }
}

/// The work of a command that speaks HTTP, until it is done or somebody presses Ctrl-C. One thread is enough for it,
/// and starts sooner than many.
fn as_client(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            done = work => done,
            signalled = tokio::signal::ctrl_c() => {
                signalled?;
                Err(Failure::new(Kind::Interrupted, "interrupted", "interrupted").into())
            }
        }
    })
}

fn in_runtime(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(work)
}

/// Text on stdout, whatever the flags say.
pub(crate) fn print_text(text: &str) -> anyhow::Result<()> {
    let written = writeln!(io::stdout(), "{}", text.trim_end());
    written.context("cannot write to stdout")
}

/// Few connections: a command does one thing at a time.
async fn open_store(database: &ServersDatabase) -> anyhow::Result<Store> {
    open_store_at(database.url()?).await
}

pub(crate) async fn open_store_at(url: SecretString) -> anyhow::Result<Store> {
    let settings = StoreSettings { url, max_connections: 2, fault: None };
    Ok(Store::connect(&settings).await?)
}

/// How the audit log names whoever works on the command line.
pub(crate) fn operator() -> Actor {
    Actor { name: "operator".to_owned(), request_id: None }
}

//! The commands, one file or folder each.

mod actions;
mod api;
mod audit;
mod encryption;
mod keys;
mod lessons;
mod manual;
mod members;
mod memories;
mod migrate;
mod open;
mod packs;
mod projects;
mod retrieve;
mod signal;
mod skill;
mod stats;
mod traces;
mod webhooks;
mod whoami;

use clap::Subcommand;

use crate::config::Config;
use crate::config::dev::{DemoConfig, DevConfig};
use crate::dev::child_process::{self, ChildProcess};
use crate::doctor::{self, Doctor};
use crate::hook::{self, Hook};
use crate::output::{Output, print_text};
use crate::review::{self, Review};
use crate::runtime::{run_client, run_threaded};
use crate::{command_line_page, configuration_page, demo, dev, serve, spool};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start a server on this machine with its own database, a project, an API key and the console. Needs no setup.
    /// Ctrl-C stops it; the data is kept.
    Dev(Box<DevConfig>),
    /// Create a small example project, or remove it.
    Demo(DemoConfig),
    /// Review runs one after the other, or one run by its id.
    Review(Box<Review>),
    /// Check the connection, the server and the learning loop, and suggest fixes.
    Doctor(Doctor),
    /// List, show, record, import, export and delete runs.
    #[command(subcommand, alias = "trace")]
    Traces(traces::Traces),
    /// List, show, edit and curate memories.
    #[command(subcommand, alias = "memory")]
    Memories(memories::Memories),
    /// List, show, group and split lessons.
    #[command(subcommand, alias = "lesson")]
    Lessons(lessons::Lessons),
    /// Show which memories an agent would get for a task.
    Retrieve(retrieve::Retrieve),
    /// Report the outcome of a run: of a build, of tests, of a merge, of a vote.
    Signal(Box<signal::Signal>),
    /// Show the project's skill, or write a new version.
    #[command(subcommand)]
    Skill(skill::Skills),
    /// Show how many runs are reviewed and whether memories help.
    Stats(stats::Stats),
    /// List changes to memories and reviews, and undo them.
    #[command(subcommand, alias = "action")]
    Actions(actions::Actions),
    /// List, create, change, test and delete webhooks, and show and repeat deliveries.
    #[command(subcommand, alias = "webhook")]
    Webhooks(webhooks::Webhooks),
    /// Give a coding agent the lessons for its prompt, and record its runs.
    #[command(subcommand)]
    Hook(Hook),
    /// Show, send and remove runs that the Python SDK or a hook stored on this machine because they could not be sent.
    #[command(subcommand)]
    Spool(spool::Spool),
    /// Call any endpoint of the API.
    Api(api::Api),
    /// Open the console in a browser.
    Open(open::Open),
    /// Show which server, project and key the commands use, and check them.
    Whoami(whoami::Whoami),
    /// Run the server: the API, the console and background work.
    Serve(Box<Config>),
    /// Apply database migrations.
    Migrate(migrate::Migrate),
    /// Create, list and delete projects.
    #[command(subcommand, alias = "project")]
    Projects(projects::Projects),
    /// Create, list, rotate and revoke API keys.
    #[command(subcommand, alias = "key")]
    Keys(keys::Keys),
    /// Create sign-in links for the console, connect members to identity providers, list members and set their roles.
    #[command(subcommand, alias = "member")]
    Members(members::Members),
    /// Show the audit log, newest first.
    Audit(audit::Audit),
    /// Create encryption keys, change them, and encrypt texts that were stored before.
    #[command(subcommand)]
    Encryption(encryption::Encryption),
    /// Export a project to a folder, for a backup or a move.
    Export(packs::Export),
    /// Import a project from an exported folder.
    Import(packs::Import),
    /// Compare a project with an exported folder.
    Verify(packs::Verify),
    /// Print the OpenAPI 3.1 description of the HTTP API.
    Openapi,
    /// Print shell completions.
    Completion(manual::Completion),
    /// Write man pages for all commands.
    Man(manual::Man),
    /// Print the reference page of all settings of `serve`.
    #[command(hide = true)]
    Configuration,
    /// Print the reference page of all commands.
    #[command(hide = true, name = "command-line")]
    ReferencePage,
    /// Run a program that ends with its parent process.
    #[command(hide = true, name = child_process::COMMAND)]
    RunUntilOrphaned(ChildProcess),
    /// Print all commands with their arguments.
    #[command(hide = true)]
    Commands,
}

impl Command {
    /// Whether this command can load a local model.
    pub(crate) fn loads_models(&self) -> bool {
        matches!(self, Self::Dev(_) | Self::Serve(_))
    }
}

/// Runs a command. `definition` describes the whole command line, for commands that print it.
pub(crate) fn run(command: Command, definition: clap::Command, output: &Output) -> anyhow::Result<()> {
    match command {
        Command::Dev(config) => run_threaded(Box::pin(dev::run(*config))),
        Command::Demo(config) => run_threaded(Box::pin(demo::run(config))),
        Command::RunUntilOrphaned(arguments) => child_process::run(&arguments),
        Command::Serve(config) => run_threaded(serve::serve(*config, &definition)),
        Command::Migrate(arguments) => run_threaded(migrate::migrate(arguments)),
        Command::Keys(keys) => run_threaded(keys::run(keys, output)),
        Command::Members(members) => run_threaded(members::run(members, output)),
        Command::Export(arguments) => run_threaded(packs::export(arguments, output)),
        Command::Import(arguments) => run_threaded(packs::import(arguments, output)),
        Command::Verify(arguments) => run_threaded(packs::verify(arguments, output)),
        Command::Openapi => print_text(&reflect_server::description()),
        Command::Configuration => print_text(&configuration_page::page()),
        Command::ReferencePage => print_text(&command_line_page::page(definition)),
        Command::Actions(actions) => run_client(actions::run(actions, output)),
        Command::Api(arguments) => run_client(api::run(arguments, output)),
        Command::Audit(arguments) => run_threaded(audit::run(arguments, output)),
        Command::Encryption(command) => run_threaded(encryption::run(command, output)),
        Command::Commands => manual::commands(definition, output),
        Command::Completion(arguments) => manual::completion(&arguments, definition, output),
        Command::Man(arguments) => manual::man(&arguments, definition, output),
        Command::Hook(hook) => hook::run(hook, output),
        Command::Lessons(lessons) => run_client(lessons::run(lessons, output)),
        Command::Memories(memories) => run_client(memories::run(memories, output)),
        Command::Open(arguments) => open::run(&arguments, output),
        Command::Projects(projects) => run_threaded(projects::run(projects, output)),
        Command::Retrieve(arguments) => run_client(retrieve::run(arguments, output)),
        Command::Signal(arguments) => run_client(signal::run(*arguments, output)),
        Command::Skill(skills) => run_client(skill::run(skills, output)),
        Command::Spool(spool) => spool::run(spool, output),
        Command::Stats(arguments) => run_client(stats::run(arguments, output)),
        Command::Traces(traces) => run_client(traces::run(traces, output)),
        Command::Webhooks(webhooks) => run_client(webhooks::run(webhooks, output)),
        Command::Whoami(arguments) => run_client(whoami::run(arguments, output)),
        Command::Review(arguments) => run_client(review::run(*arguments, output)),
        Command::Doctor(arguments) => run_client(doctor::run(arguments, output)),
    }
}

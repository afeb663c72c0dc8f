//! The project's own commands, run as `cargo xtask <command>`.
//!
//! This file selects the command; each command has its own module. Nothing here is part of the product, and nothing
//! here depends on the product, so a fresh checkout can run it.

#![expect(clippy::print_stdout, reason = "a command-line tool answers on standard output")]

mod cache;
mod db;
mod docs;
mod features;
mod house;
mod llm;
mod process;
mod programs;
mod readme;
mod record;
mod repository;
mod settings;
mod setup;
mod sources;
mod temporary_folder;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask <command>

  setup           install what the project needs into a cache outside the repository, print the versions;
                  --sdk adds what the Python SDK is checked and tested with, --frameworks the agent frameworks
                  that it has adapters for, --ci both and the rest of what continuous integration needs
  cache [PART]    print the cache folder (REFLECT_CACHE chooses another one), or the folder of one of its parts
  db [start]      start the private Postgres for development and tests, print its address
  db create NAME  create a database in it unless it exists, print its address [--recreate drops an existing one]
  db stop         stop it            [--mode fast|immediate]
  db url          print its address
  db status       print whether it runs
                  all of them take --data DIR for a separate cluster,
                  start also takes --port N and --durable (fsync on, as in production)
  llm [--port N]  run a small real language model behind llama.cpp's server, in the foreground; prints
                  `ready: <address>` when it is ready; default port 54331, 0 chooses a free one;
                  --answer-tokens N limits the answer if a request sets no limit
  docs            check the documentation: links, index, generated pages, and every code block
                  [--generate writes the generated pages, --only PAGE, --check-only runs no block]
  tidy            check the project rules that neither the compiler nor clippy checks
  house           print figures about structure and language, and compare them with their limits
                  [--report never fails, --static leaves out the requests, which need a built server]
  features        check that one package built alone uses the features of the whole workspace
                  [--write generates workspace-features/Cargo.toml]
  record NAME -- COMMAND
                  run a benchmark and append its last lines to bench/history/NAME.jsonl, with machine and commit
  readme          run the commands of docs/how-to/run-from-source.md [--dry-run]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<ExitCode> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["setup"] => setup::install(setup::Purpose::Development),
        ["setup", "--sdk"] => setup::install(setup::Purpose::Sdk),
        ["setup", "--frameworks"] => setup::install(setup::Purpose::Frameworks),
        ["setup", "--ci"] => setup::install(setup::Purpose::ContinuousIntegration),
        ["cache"] => {
            println!("{}", cache::Cache::locate()?.root().display());
            Ok(ExitCode::SUCCESS)
        }
        ["cache", part] => {
            println!("{}", setup::folder_of(part)?.display());
            Ok(ExitCode::SUCCESS)
        }
        ["llm", rest @ ..] => llm::run(rest),
        ["db", rest @ ..] => db::run(rest),
        ["docs", rest @ ..] => docs::run(rest),
        ["features", rest @ ..] => features::run(rest),
        ["house", rest @ ..] => house::run(rest),
        ["tidy"] => tidy::run(),
        ["record", name, "--", command @ ..] => record::run(name, command),
        ["readme"] => readme::run(readme::Mode::Run),
        ["readme", "--dry-run"] => readme::run(readme::Mode::Print),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("cannot understand `{}`\n{USAGE}", words.join(" ")),
    }
}

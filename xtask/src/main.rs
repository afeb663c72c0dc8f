//! The project's own commands, run as `cargo xtask <command>`.
//!
//! This file only chooses; each command lives in its own module. Nothing here is part of the product,
//! and nothing of the product may be needed to run it: a fresh checkout must be able to start here.

#![expect(clippy::print_stdout, reason = "a command-line tool answers on standard output")]

mod cache;
mod db;
mod docs;
mod llm;
mod process;
mod readme;
mod repository;
mod settings;
mod setup;
mod temporary_folder;
mod tidy;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask <command>

  setup           install what the project needs into a cache outside the repository, print the versions;
                  --sdk adds what the Python SDK is checked and tested with, --ci that and the rest of
                  what continuous integration needs
  cache [PART]    print the cache folder (REFLECT_CACHE chooses another one), or where a part of it lies
  db [start]      start the private Postgres for development and tests, print its address
  db create NAME  make a database in it unless it is there, print its address [--anew throws the old one away]
  db stop         stop it            [--mode fast|immediate]
  db url          print its address
  db status       say whether it runs
                  all of them take --data DIR for a cluster of one's own,
                  start also takes --port N and --durable (fsync on, as in production)
  llm [--port N]  run a small real language model behind llama.cpp's server, in the foreground; prints
                  `ready: <address>` once it answers; port 54331 unless told, 0 takes any free one;
                  --answer-tokens N is where answers end unless a request says otherwise
  docs            check the book: links, index, generated pages, every block of code run or checked
                  [--generate writes the generated pages, --only PAGE, --check-only runs no block]
  tidy            check the house rules
  readme          run the commands of the README's start, as written [--dry-run]";

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
        ["tidy"] => tidy::run(),
        ["readme"] => readme::run(readme::Mode::Run),
        ["readme", "--dry-run"] => readme::run(readme::Mode::Print),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        _ => bail!("cannot understand `{}`\n{USAGE}", words.join(" ")),
    }
}

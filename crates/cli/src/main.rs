//! The binary `reflect`: reads the command line and the environment, runs one command, and turns its
//! outcome into an exit code.

mod commands;
mod config;
mod configuration_page;
mod embedder_config;
mod model_config;

use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;

/// Memory for AI agents that learns from outcomes.
#[derive(Debug, Parser)]
#[command(name = "reflect", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match commands::run(arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("reflect: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Arguments::command().debug_assert();
    }
}

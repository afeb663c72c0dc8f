//! The binary `reflect`: parses the command line, runs one command, and converts its result into an exit code.

mod arguments;
mod command_line;
mod command_line_page;
mod commands;
mod config;
mod configuration_page;
mod connection;
mod demo;
mod dev;
mod doctor;
mod environment;
mod examples;
mod failure;
#[cfg(test)]
mod fuzz;
mod hook;
mod local_server;
mod moving;
mod operator;
mod output;
mod private_file;
mod review;
mod runtime;
mod serve;
mod server_database;
mod spool;
mod telemetry_opt_out;
mod test_results;
mod timestamp;

use std::process::ExitCode;

use crate::failure::Failure;
use crate::output::Output;
use crate::telemetry_opt_out::telemetry_opt_out;

/// Returns the memory of large requests to the system. The allocator of glibc keeps it.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    #[cfg(debug_assertions)]
    {
        switch_off_defence();
        plan_crash();
    }
    if let Some(code) = hook::intercept(std::env::args_os()) {
        return code;
    }
    let arguments = match command_line::parse() {
        Ok(arguments) => arguments,
        Err(error) => return command_line::report(error),
    };
    if arguments.command.loads_models()
        && let Err(error) = telemetry_opt_out()
    {
        eprintln!("reflect: cannot restart with the telemetry of ONNX Runtime disabled: {error}");
        return ExitCode::FAILURE;
    }
    let output = Output::new(&arguments.output);
    match commands::run(arguments.command, command_line::definition(), &output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if failure::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let failure = Failure::of(&error);
            output.failure(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Ends this process at a place, for `just kills`.
#[cfg(debug_assertions)]
fn plan_crash() {
    if let Some(plan) = environment::variable("REFLECT_CRASH_AT")
        && !reflect_types::crash_at(&plan)
    {
        eprintln!("reflect: REFLECT_CRASH_AT has no known place: {plan}");
        std::process::exit(2);
    }
}

/// The same switch as `--without-defence` of `serve`, for all other commands.
#[cfg(debug_assertions)]
fn switch_off_defence() {
    let name = environment::variable("REFLECT_WITHOUT_DEFENCE");
    if let Some(defence) = name.and_then(|name| reflect_types::Defence::named(&name)) {
        defence.switch_off();
    }
}

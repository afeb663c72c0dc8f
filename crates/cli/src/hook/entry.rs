//! How a hook starts and ends. It must not fail, and must not take long: a coding agent waits for it, and the exit code 2
//! would make the agent refuse the prompt.

use std::ffi::OsString;
use std::io::{IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use reflect_trajectory::repaired_json;

use super::event::{EventKind, HookEvent};
use super::options::{HookFault, HookOptions};
use super::report::{reason, say};
use super::{CodingAgent, delivery, prompt, stop};
use crate::environment;

/// How long recording in the background may take.
const DELIVERY_LIMIT: Duration = Duration::from_secs(180);
/// How long a hook may record, if it does so itself.
const WAIT_LIMIT: Duration = Duration::from_secs(20);
/// What is left of the limit for the answer.
const RESERVE: Duration = Duration::from_millis(50);

/// Only the commands that coding agents call: defining all commands would take longer than the rest of the hook.
#[derive(Debug, Parser)]
#[command(name = "reflect hook")]
struct HookLine {
    #[command(subcommand)]
    event: HookCommand,
}

#[derive(Debug, Subcommand)]
enum HookCommand {
    ClaudeCode(Box<HookOptions>),
    Codex(Box<HookOptions>),
}

/// Handles the event, if the arguments of the process are those of a hook. Otherwise the process has another command.
pub(crate) fn intercept(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let arguments: Vec<OsString> = arguments.skip(1).collect();
    let agents = CodingAgent::ALL.map(CodingAgent::name);
    let is_hook = arguments.first().is_some_and(|word| word == "hook")
        && arguments.get(1).is_some_and(|word| agents.iter().any(|agent| word == agent));
    let asks_for_help = || arguments.iter().any(|word| word == "--help" || word == "-h");
    if !is_hook || asks_for_help() {
        return None;
    }
    let work = || match parse(&arguments) {
        Ok(HookCommand::ClaudeCode(options)) => handle(CodingAgent::ClaudeCode, &options),
        Ok(HookCommand::Codex(options)) => handle(CodingAgent::Codex, &options),
        Err(error) if arguments.iter().any(|word| word == "--debug") => say(&error.to_string()),
        Err(_) => {}
    };
    // A panic was written to stderr.
    let _ = catch_unwind(AssertUnwindSafe(work));
    Some(ExitCode::SUCCESS)
}

fn parse(arguments: &[OsString]) -> Result<HookCommand, clap::Error> {
    let command = environment::without_empty_variables(HookLine::command());
    let mut matches = command.try_get_matches_from(arguments)?;
    Ok(HookLine::from_arg_matches_mut(&mut matches)?.event)
}

/// Handles the event on stdin. Whatever happens, it returns, or ends the process with exit code 0.
pub(super) fn handle(agent: CodingAgent, options: &HookOptions) {
    let started = Instant::now();
    let debug = options.debug;
    let limit = match &options.deliver {
        Some(_) => DELIVERY_LIMIT,
        None => Duration::from_millis(options.limit),
    };
    let has_more_time = Arc::new(AtomicBool::new(false));
    end_after(limit, &has_more_time, debug);
    if !debug {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let work = || match &options.deliver {
        Some(session) => run(delivery::deliver(options, session)),
        None => event(agent, options, started, &has_more_time),
    };
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => {}
        Ok(Err(error)) if debug => say(&reason(&error)),
        Err(_) if debug => say("the hook has failed"),
        Ok(Err(_)) | Err(_) => {}
    }
    if debug {
        say(&format!("{} ms", started.elapsed().as_millis()));
    }
}

/// Ends the process after this time, in another thread: what this one waits for may never come. A hook that records a run, or
/// that writes its answer, has more time.
fn end_after(limit: Duration, has_more_time: &Arc<AtomicBool>, debug: bool) {
    let has_more_time = Arc::clone(has_more_time);
    let timer = std::thread::Builder::new().spawn(move || {
        std::thread::sleep(limit);
        if has_more_time.load(Ordering::Relaxed) {
            std::thread::sleep(WAIT_LIMIT);
        }
        if debug {
            say("it took too long");
        }
        std::process::exit(0);
    });
    if timer.is_err() && debug {
        say("there is no thread for the limit");
    }
}

fn event(
    agent: CodingAgent,
    options: &HookOptions,
    started: Instant,
    has_more_time: &AtomicBool,
) -> anyhow::Result<()> {
    let mut stdin = std::io::stdin().lock();
    if stdin.is_terminal() {
        let (title, name) = (agent.title(), agent.name());
        say(&format!(
            "this reads an event of {title} on stdin; `reflect hook install {name}` makes {title} call it"
        ));
        return Ok(());
    }
    let mut text = Vec::new();
    stdin.read_to_end(&mut text).context("cannot read stdin")?;
    let event: HookEvent = serde_json::from_slice(&text)
        .or_else(|_| serde_json::from_str(&repaired_json(&text)))
        .context("stdin has no event of a coding agent")?;
    match event.kind() {
        EventKind::Prompt => {
            let left = Duration::from_millis(options.limit).saturating_sub(RESERVE + started.elapsed());
            let answered = run(prompt::lessons(agent, options, &event, left)).and_then(|lessons| {
                let Some(answer) = lessons else { return Ok(()) };
                // The limit must not cut it.
                has_more_time.store(true, Ordering::Relaxed);
                let line = format!("{answer}\n");
                std::io::stdout().lock().write_all(line.as_bytes()).context("cannot write to stdout")
            });
            stop::resume_leftover(agent, options, &event)?;
            answered
        }
        EventKind::Stop | EventKind::SessionEnd => {
            let session = stop::keep(agent, options, &event)?;
            options.end_at(HookFault::EndAfterEvent);
            if !options.wait {
                return stop::start_delivery(&session);
            }
            has_more_time.store(true, Ordering::Relaxed);
            run(delivery::deliver(options, &session))
        }
        EventKind::Other => Ok(()),
    }
}

/// Runs asynchronous work on this thread. Signals are left to the system.
fn run<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(work)
}

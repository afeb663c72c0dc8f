//! When an agent stops: the event is kept, and a process in the background records the run.

use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::CodingAgent;
use super::event::HookEvent;
use super::mask::Mask;
use super::options::HookOptions;
use super::session::StoppedSession;
use super::state::State;
use crate::spool::Destination;

/// An event of this age was left by a process that was killed.
const LEFT: Duration = Duration::from_secs(30);

/// Keeps the event. Returns the name of its session.
pub(super) fn keep(agent: CodingAgent, options: &HookOptions, event: &HookEvent) -> anyhow::Result<String> {
    let state = State::open(options.state_folder()?)?;
    let destination = Destination::of(&options.connection)?;
    let session = state.session(agent, &destination, &event.session_id)?;
    let event = lasting(event, options, &state)?;
    let size = event.transcript_path.as_ref().and_then(|path| std::fs::metadata(path).ok());
    session.keep_stopped(&StoppedSession {
        agent,
        destination,
        recording: options.recording(),
        event,
        size: size.map_or(0, |found| found.len()),
        at: SystemTime::now(),
    })?;
    Ok(session.name())
}

/// The event as it is stored: masked, and with paths that another process understands.
fn lasting(event: &HookEvent, options: &HookOptions, state: &State) -> anyhow::Result<HookEvent> {
    let mut lasting = event.clone();
    for path in [&mut lasting.transcript_path, &mut lasting.cwd].into_iter().flatten() {
        if let Ok(absolute) = std::path::absolute(&*path) {
            *path = absolute;
        }
    }
    if let Some(message) = &mut lasting.last_assistant_message {
        *message = Mask::new(options.mask, state)?.text(message);
    }
    Ok(lasting)
}

/// Starts this program again, with the same flags, in the background. It has its own process group, so it goes on when the
/// agent ends, and no open files of the hook, so the agent does not wait for it.
pub(super) fn start_delivery(session: &str) -> anyhow::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).args(["--deliver", session]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    own_group(&mut command).spawn().context("cannot start a process in the background")?;
    Ok(())
}

fn own_group(command: &mut Command) -> &mut Command {
    use std::os::unix::process::CommandExt;
    command.process_group(0)
}

/// Records what an earlier event left, because its process was killed.
pub(super) fn resume_leftover(
    agent: CodingAgent,
    options: &HookOptions,
    event: &HookEvent,
) -> anyhow::Result<()> {
    let destination = Destination::of(&options.connection)?;
    let session = State::open(options.state_folder()?)?.session(agent, &destination, &event.session_id)?;
    let is_left = |stopped: &StoppedSession| stopped.at.elapsed().is_ok_and(|age| age > LEFT);
    match session.stopped().filter(|(_, stopped)| is_left(stopped)) {
        Some(_) => start_delivery(&session.name()),
        None => Ok(()),
    }
}

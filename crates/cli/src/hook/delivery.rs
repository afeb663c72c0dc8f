//! Records the runs of stopped sessions, and sends them. This runs in the background.
//!
//! A run is first stored in the spool, then the progress of its session is saved, then it is sent. If the process is
//! killed in between, the next one stores the same run with the same id.

use std::time::{Duration, SystemTime};

use anyhow::Context;
use reflect_sdk::NewTrace;
use reflect_trajectory::TranscriptRun;
use reflect_types::TraceId;

use super::git::Repository;
use super::mask::Mask;
use super::options::{HookFault, HookOptions};
use super::outcome::{self, TestOutcome};
use super::reading::{ended, first_of, owners, settled};
use super::record::{SessionRun, shortened};
use super::report::{reason, say};
use super::session::{PendingPrompt, Progress, SessionFolder, StoppedSession};
use super::state::State;
use super::test_commands;
use crate::spool::{self, Destination};

/// For how long after an event the repository is as it was then.
const RECENT: Duration = Duration::from_secs(30);
/// How much of the last prompt is kept, for a run that continues without one.
const LONGEST_PROMPT: usize = 4 * 1024;

/// Records this session, and others whose process was killed. Then sends everything that waits for this destination.
pub(super) async fn deliver(options: &HookOptions, session: &str) -> anyhow::Result<()> {
    let state = State::open(options.state_folder()?)?;
    let destination = Destination::of(&options.connection)?;
    let delivery = Delivery { options, state, destination };
    let own = delivery.state.session_named(session)?;
    let recorded = delivery.record(&own, true).await;
    for other in delivery.state.stopped_sessions() {
        if other.path() != own.path()
            && let Err(error) = delivery.record(&other, false).await
            && options.debug
        {
            say(&reason(&error));
        }
    }
    delivery.state.clean(SystemTime::now());
    // What could not be sent stays, and is sent after the next run.
    delivery.send().await?;
    recorded
}

/// An event whose runs are being recorded.
struct Handled<'a> {
    stopped: &'a StoppedSession,
    mask: Mask,
    /// The place in the transcript from which it is recorded.
    from: u64,
}

struct Delivery<'a> {
    options: &'a HookOptions,
    state: State,
    destination: Destination,
}

impl Delivery<'_> {
    /// Records a session up to its last event. `waits`: another process that records it may have seen all events but the
    /// last one.
    async fn record(&self, session: &SessionFolder, waits: bool) -> anyhow::Result<()> {
        let Some(_lock) = session.lock(waits)? else { return Ok(()) };
        while let Some((file, stopped)) = session.stopped() {
            // Runs for another server or project are recorded by a hook with that connection.
            if stopped.destination != self.destination {
                return Ok(());
            }
            self.record_up_to(session, &stopped).await?;
            std::fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
        Ok(())
    }

    async fn record_up_to(&self, session: &SessionFolder, stopped: &StoppedSession) -> anyhow::Result<()> {
        // Codex has no transcript if the user wants none.
        let Some(path) = &stopped.event.transcript_path else { return Ok(()) };
        // At once, because the user may go on.
        let repository = stopped.event.cwd.as_deref().map(Repository::of).unwrap_or_default();
        let is_recent = stopped.at.elapsed().is_ok_and(|age| age < RECENT);
        let unknown = repository.clone().without_state();
        let repository = if is_recent { repository } else { unknown.clone() };
        let mask = Mask::new(stopped.recording.mask, &self.state)?;
        let before = session.progress(path);
        let from = before.as_ref().map_or(0, |progress| progress.offset);
        let Some((mut transcript, from)) = settled(&mask, stopped, path, from).await? else { return Ok(()) };
        let before = before.filter(|progress| progress.offset == from);
        let prompts = session.prompts();
        let handled = Handled { stopped, mask, from };
        let is_first = before.is_none();
        let mut progress = before.unwrap_or_default();
        let (runs, end) = ended(&mut transcript, stopped, from);
        let owners = owners(&runs, &prompts);
        let begin = if is_first { first_of(&runs, &owners, session.begun()) } else { 0 };
        for (index, run) in runs.iter().enumerate().skip(begin) {
            let own = prompts.iter().zip(&owners).filter(|(_, owner)| **owner == Some(index));
            let own: Vec<PendingPrompt> = own.map(|((_, prompt), _)| prompt.clone()).collect();
            // Those before it ended with another state of the repository.
            let repository = if index + 1 == runs.len() { &repository } else { &unknown };
            self.keep(&handled, run, &own, repository, &mut progress).await?;
        }
        progress.transcript.clone_from(path);
        progress.offset = from + end as u64;
        self.options.end_at(HookFault::EndBeforeProgress);
        session.save_progress(&progress)?;
        for ((file, _), _) in prompts.iter().zip(&owners).filter(|(_, owner)| owner.is_some()) {
            // It is of no use any more, and is removed with its session at the latest.
            let _ = std::fs::remove_file(file);
        }
        Ok(())
    }

    /// Stores a run in the spool, and the outcome of its tests beside it.
    async fn keep(
        &self,
        handled: &Handled<'_>,
        run: &TranscriptRun,
        prompts: &[PendingPrompt],
        repository: &Repository,
        progress: &mut Progress,
    ) -> anyhow::Result<()> {
        let Handled { stopped, mask, from } = handled;
        if run.version.is_some() {
            progress.version.clone_from(&run.version);
        }
        // A turn that goes on after it was recorded can be named again.
        let is_continued = run.turn.as_deref().is_none_or(|turn| progress.is_of(turn));
        if is_continued && (!run.acted || progress.prompt.is_empty()) {
            // A message that arrived late. A run without a prompt is recorded only if the agent did something.
            return Ok(());
        }
        match &run.turn {
            Some(turn) if !is_continued => {
                progress.turn.clone_from(turn);
                progress.prompt = shortened(&mask.text(&run.prompt), LONGEST_PROMPT);
            }
            _ => progress.turn = format!("{}+{from}", progress.turn),
        }
        let prompt = if is_continued { progress.prompt.as_str() } else { run.prompt.as_str() };
        if prompt.trim().is_empty() {
            return Ok(());
        }
        let tests = test_commands::report(&run.commands, &stopped.recording.test_commands);
        let run = SessionRun {
            agent: stopped.agent,
            session: &stopped.event.session_id,
            turn: &progress.turn,
            run,
            prompt,
            is_continued,
            version: progress.version.as_deref(),
            repository,
            prompts,
            tests: tests.as_ref(),
        };
        let now = SystemTime::now();
        let id = if self.options.has_fault(HookFault::RandomIds) {
            TraceId::generate()
        } else {
            run.trace_id(stopped.at, now)
        };
        let trace = run.trace(id, mask)?;
        if self.options.has_fault(HookFault::NoSpool) {
            let sent =
                self.options.client_builder()?.build()?.traces.create(NewTrace::from_body(trace)).await;
            return sent.map(drop).or(Ok(()));
        }
        let body = serde_json::to_vec(&trace).context("cannot write a run")?;
        spool::keep_run(&self.destination, &stopped.recording.place, id, &body, now)?;
        if let Some(tests) = &tests {
            let outcome = TestOutcome::new(id, tests, stopped.at.into(), mask);
            outcome.keep(&self.state.outcomes(&self.destination.folder())?)?;
        }
        Ok(())
    }

    async fn send(&self) -> anyhow::Result<()> {
        let client = self.options.client_builder()?.build()?;
        spool::send_spooled(&client, &self.destination, &self.options.place).await?;
        outcome::send_kept(&client, &self.state.outcomes(&self.destination.folder())?).await
    }
}

//! Records the runs of stopped sessions, and sends them. This runs in the background.
//!
//! A run is first stored in the spool, then the progress of its session is saved, then it is sent. If the process is
//! killed in between, the next one stores the same run with the same id.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use reflect_sdk::NewTrace;
use reflect_trajectory::{Transcript, TranscriptRun};
use reflect_types::TraceId;
use serde_json::Value;

use super::entry::{reason, say};
use super::event::EventKind;
use super::git::Repository;
use super::mask::Mask;
use super::options::{HookFault, HookOptions};
use super::outcome::{self, TestOutcome};
use super::record::{SessionRun, shortened};
use super::session::{PendingPrompt, Progress, SessionFolder, StoppedSession};
use super::state::State;
use super::test_commands;
use crate::spool::{self, Destination};

/// How long the last message of an agent may take to arrive in the transcript. Claude Code starts its hooks before it has
/// written it.
const SETTLING: Duration = Duration::from_secs(3);
/// How often the transcript is read meanwhile.
const PAUSE: Duration = Duration::from_millis(50);
/// The largest part of a transcript that is read.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// How much of the last prompt is kept, for a run that continues without one.
const LONGEST_PROMPT: usize = 4 * 1024;

/// Records this session, and others whose process was killed. Then sends everything that waits for this destination.
pub(super) async fn deliver(options: &HookOptions, session: &str) -> anyhow::Result<()> {
    let state = State::open(options.state_folder()?)?;
    let destination = Destination::of(&options.connection)?;
    let delivery = Delivery { options, mask: Mask::new(options.mask, &state)?, state, destination };
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
    // What could not be sent stays, and is sent after the next run.
    delivery.send().await?;
    delivery.state.clean(SystemTime::now());
    recorded
}

struct Delivery<'a> {
    options: &'a HookOptions,
    state: State,
    destination: Destination,
    mask: Mask,
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
        let Some(path) = stopped.event.transcript_path.as_ref().filter(|path| path.exists()) else {
            return Ok(());
        };
        let before = session.progress(path);
        let from = before.as_ref().map_or(0, |progress| progress.offset);
        let (mut transcript, from) = settled(stopped, path, from).await?;
        let before = before.filter(|progress| progress.offset == from);
        let prompts = session.prompts();
        let is_first = before.is_none();
        let mut progress = before.unwrap_or_default();
        let (runs, end) = ended(&mut transcript, stopped, from);
        let begin = if is_first { first_of(&runs, &prompts) } else { 0 };
        let repository = stopped.event.cwd.as_deref().map(Repository::of).unwrap_or_default();
        for run in &runs[begin..] {
            let matching = |(_, prompt): &&(_, PendingPrompt)| prompt.is_of(run.turn.as_deref(), &run.prompt);
            let own: Vec<PendingPrompt> =
                prompts.iter().filter(matching).map(|(_, prompt)| prompt.clone()).collect();
            self.keep(stopped, run, &own, &repository, &mut progress, from).await?;
        }
        progress.transcript.clone_from(path);
        progress.offset = from + end as u64;
        if self.options.fault() != Some(HookFault::RandomIds) {
            session.save_progress(&progress)?;
        }
        let is_recorded =
            |prompt: &PendingPrompt| runs.iter().any(|run| prompt.is_of(run.turn.as_deref(), &run.prompt));
        for (file, _) in prompts.iter().filter(|(_, prompt)| is_recorded(prompt)) {
            // It is of no use any more, and is removed with its session at the latest.
            let _ = std::fs::remove_file(file);
        }
        Ok(())
    }

    /// Stores a run in the spool, and the outcome of its tests beside it.
    async fn keep(
        &self,
        stopped: &StoppedSession,
        run: &TranscriptRun,
        prompts: &[PendingPrompt],
        repository: &Repository,
        progress: &mut Progress,
        from: u64,
    ) -> anyhow::Result<()> {
        let is_continued = run.turn.is_none();
        if is_continued && (!run.acted || progress.prompt.is_empty()) {
            // A message that arrived late. A run without a prompt is recorded only if the agent did something.
            return Ok(());
        }
        match &run.turn {
            Some(turn) => {
                progress.turn.clone_from(turn);
                progress.prompt = self.mask.text(&shortened(&run.prompt, LONGEST_PROMPT));
            }
            None => progress.turn = format!("{}+{from}", progress.turn),
        }
        let prompt = if is_continued { progress.prompt.as_str() } else { run.prompt.as_str() };
        if prompt.trim().is_empty() {
            return Ok(());
        }
        let tests = test_commands::report(&run.commands, &self.options.test_command);
        let run = SessionRun {
            agent: stopped.agent,
            session: &stopped.event.session_id,
            turn: &progress.turn,
            run,
            prompt,
            is_continued,
            repository,
            prompts,
            tests: tests.as_ref(),
        };
        let now = SystemTime::now();
        let id = match self.options.fault() {
            Some(HookFault::RandomIds) => TraceId::generate(),
            _ => run.trace_id(now),
        };
        let trace = run.trace(id, &self.mask)?;
        if self.options.fault() == Some(HookFault::NoSpool) {
            let sent = self.options.connection.client()?.traces.create(NewTrace::from_body(trace)).await;
            return sent.map(drop).or(Ok(()));
        }
        let body = serde_json::to_vec(&trace).context("cannot write a run")?;
        spool::keep_run(&self.destination, &self.options.place, id, &body, now)?;
        if let Some(tests) = &tests {
            let outcome = TestOutcome::new(id, tests, stopped.at.into(), &self.mask);
            outcome.keep(&self.state.outcomes(&self.destination.folder())?)?;
        }
        Ok(())
    }

    async fn send(&self) -> anyhow::Result<()> {
        let client = self.options.connection.client_builder()?.build()?;
        spool::send_spooled(&client, &self.destination, &self.options.place).await?;
        outcome::send_kept(&client, &self.state.outcomes(&self.destination.folder())?).await
    }
}

/// Reads a transcript from this place, with the last message of the agent. If that does not arrive, it is added. Returns the
/// place too: 0 if the file is another one now.
async fn settled(stopped: &StoppedSession, path: &Path, from: u64) -> anyhow::Result<(Transcript, u64)> {
    let begun = Instant::now();
    let message =
        stopped.event.last_assistant_message.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let mut size = None;
    loop {
        let now = std::fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?.len();
        if size != Some(now) || begun.elapsed() >= SETTLING {
            size = Some(now);
            let (part, from) = part(path, from)?;
            let mut transcript = Transcript::read(stopped.agent.format(), &part);
            let last = transcript.runs.iter_mut().rfind(|run| is_before(run, stopped, from));
            let Some(message) =
                message.filter(|message| !last.as_ref().is_some_and(|run| says(run, message)))
            else {
                return Ok((transcript, from));
            };
            if begun.elapsed() >= SETTLING {
                if let Some(run) = last {
                    run.messages.push(serde_json::json!({ "role": "assistant", "content": message }));
                }
                return Ok((transcript, from));
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// The rest of a file from this place. The whole file if no line begins there.
fn part(path: &Path, from: u64) -> anyhow::Result<(Vec<u8>, u64)> {
    let read = |from: u64| -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let cannot_read = || format!("cannot read {}", path.display());
    if from > 0 {
        // With the end of the line before.
        let bytes = read(from - 1).with_context(cannot_read)?;
        if let Some((b'\n', rest)) = bytes.split_first() {
            return Ok((rest.to_vec(), from));
        }
    }
    Ok((read(0).with_context(cannot_read)?, 0))
}

/// Whether a run ends with this message of the agent, which may have several blocks.
fn says(run: &TranscriptRun, message: &str) -> bool {
    let last = run.messages.iter().rfind(|message| message["role"] == "assistant");
    let text = match last.map(|last| &last["content"]) {
        Some(Value::String(text)) => Some(text.as_str()),
        Some(Value::Array(blocks)) => blocks.iter().rev().find_map(|block| block["text"].as_str()),
        _ => None,
    };
    let text = text.unwrap_or_default().trim();
    !text.is_empty() && (message.contains(text) || text.contains(message))
}

/// Whether a run belongs to the event, or to an earlier one. A later run may have begun meanwhile, and has not ended.
fn is_before(run: &TranscriptRun, stopped: &StoppedSession, from: u64) -> bool {
    stopped.event.kind() == EventKind::SessionEnd
        || run.turn.is_none()
        || run.turn.as_deref() == stopped.event.turn()
        || from + (run.begin as u64) < stopped.size
}

/// The runs that have ended, and where the next one begins.
fn ended(transcript: &mut Transcript, stopped: &StoppedSession, from: u64) -> (Vec<TranscriptRun>, usize) {
    let mut runs = std::mem::take(&mut transcript.runs);
    let last = runs.iter().rposition(|run| is_before(run, stopped, from)).map_or(0, |last| last + 1);
    let end = runs.get(last).map_or(transcript.end, |next| next.begin);
    runs.truncate(last);
    (runs, end)
}

/// Which runs of a transcript are recorded, if none was: the last one, and those before it whose prompts got lessons. Runs from
/// the time before the hooks are not.
fn first_of(runs: &[TranscriptRun], prompts: &[(std::path::PathBuf, PendingPrompt)]) -> usize {
    let has_lessons = |run: &TranscriptRun| {
        prompts.iter().any(|(_, prompt)| prompt.is_of(run.turn.as_deref(), &run.prompt))
    };
    runs.iter().position(has_lessons).unwrap_or(runs.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::super::CodingAgent;
    use super::super::event::HookEvent;
    use super::*;

    fn run(turn: Option<&str>, begin: usize) -> TranscriptRun {
        TranscriptRun { turn: turn.map(str::to_owned), begin, ..TranscriptRun::default() }
    }

    fn stopped(event: &str, size: u64) -> StoppedSession {
        StoppedSession {
            agent: CodingAgent::ClaudeCode,
            destination: Destination::new("http://a", "p"),
            event: serde_json::from_str::<HookEvent>(event).unwrap(),
            size,
            at: SystemTime::UNIX_EPOCH,
        }
    }

    fn taken(event: &str, size: u64) -> (usize, usize) {
        let runs = vec![run(None, 0), run(Some("p1"), 10), run(Some("p2"), 50), run(Some("p3"), 90)];
        let mut transcript = Transcript { runs, end: 120 };
        let (runs, end) = ended(&mut transcript, &stopped(event, size), 1000);
        (runs.len(), end)
    }

    #[test]
    fn a_run_that_began_after_the_event_is_not_recorded_yet() {
        let stop = r#"{"hook_event_name":"Stop"}"#;

        assert_eq!(taken(stop, 1060), (3, 90));
        assert_eq!(taken(stop, 1120), (4, 120));
        // Its first line was written after the event, but the event names it.
        assert_eq!(taken(r#"{"hook_event_name":"Stop","prompt_id":"p2"}"#, 1020), (3, 90));
        assert_eq!(taken(r#"{"hook_event_name":"SessionEnd"}"#, 1000), (4, 120));
    }

    #[test]
    fn a_part_begins_at_a_line_or_is_the_whole_file() {
        let path = std::env::temp_dir().join(format!("reflect-part-{}", uuid::Uuid::now_v7()));
        std::fs::write(&path, "ab\ncd\n").unwrap();
        let read = |from| part(&path, from).unwrap();

        assert_eq!(read(3), (b"cd\n".to_vec(), 3));
        assert_eq!(read(6), (Vec::new(), 6));
        for from in [0, 1, 4, 100] {
            assert_eq!(read(from), (b"ab\ncd\n".to_vec(), 0), "{from}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}

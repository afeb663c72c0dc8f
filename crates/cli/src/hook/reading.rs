//! Reads the part of a transcript that an event is about: the runs that have ended, with the last message of the agent.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use chrono::{DateTime, Utc};
use reflect_trajectory::{Transcript, TranscriptRun};
use serde_json::{Value, json};

use super::event::EventKind;
use super::mask::Mask;
use super::session::{PendingPrompt, StoppedSession};

/// How long the last message of an agent may take to arrive in the transcript. Claude Code starts its hooks before it has
/// written it.
const SETTLING: Duration = Duration::from_secs(3);
/// How often the transcript is read meanwhile.
const PAUSE: Duration = Duration::from_millis(50);
/// How much earlier the time of a prompt in a transcript may be than that of its hook.
const CLOCK_SLACK: Duration = Duration::from_secs(5);
/// The largest part of a transcript that is read. It is parsed in memory.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Reads a transcript from this place, with the last message of the agent. If that does not arrive, it is added. Returns
/// the place too: another one if no line begins there, or if there is too much to read. `None` if there is no transcript.
pub(super) async fn settled(
    mask: &Mask,
    stopped: &StoppedSession,
    path: &Path,
    from: u64,
) -> anyhow::Result<Option<(Transcript, u64)>> {
    let begun = Instant::now();
    // A process that was killed has waited already.
    let patience = SETTLING.saturating_sub(stopped.at.elapsed().unwrap_or_default());
    let message =
        stopped.event.last_assistant_message.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let mut size = None;
    loop {
        let is_over = begun.elapsed() >= patience;
        let now = match std::fs::metadata(path) {
            Ok(found) => Some(found.len()),
            // An agent may write its first lines after its first event.
            Err(error) if error.kind() == ErrorKind::NotFound && is_over => return Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        if now.is_some() && (size != now || is_over) {
            size = now;
            let (part, from) = part(path, from, MOST_BYTES)?;
            let mut transcript = Transcript::read(stopped.agent.format(), &part);
            let last = last_ended(&transcript.runs, stopped, from);
            let run = last.and_then(|last| transcript.runs.get_mut(last));
            let Some(message) =
                message.filter(|message| !run.as_ref().is_some_and(|run| ends_with(run, message, mask)))
            else {
                return Ok(Some((transcript, from)));
            };
            if is_over {
                if let Some(run) = run.filter(|run| !has_said(run, message, mask)) {
                    run.messages.push(json!({ "role": "assistant", "content": message }));
                    run.answered = true;
                }
                return Ok(Some((transcript, from)));
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Whether a run ends with this message of the agent, which may have several blocks. The message is masked.
fn ends_with(run: &TranscriptRun, message: &str, mask: &Mask) -> bool {
    let text = last_text(&run.messages).map(|text| mask.text(text.trim()));
    text.is_some_and(|text| message.contains(&text) || text.contains(message))
}

/// Whether the agent has said this in a run that went on.
fn has_said(run: &TranscriptRun, message: &str, mask: &Mask) -> bool {
    run.messages.iter().filter_map(said_text).any(|text| mask.text(text.trim()) == message)
}

/// The last text of the agent. `None` if a call or its result follows it.
fn last_text(messages: &[Value]) -> Option<&str> {
    messages.iter().rev().take_while(|message| !is_of_tool(message)).find_map(said_text)
}

/// The last text of a message of the agent. `None` if it has none.
fn said_text(message: &Value) -> Option<&str> {
    let text = match &message["content"] {
        _ if message["role"] != "assistant" => None,
        Value::String(text) => Some(text.as_str()),
        Value::Array(blocks) => blocks.iter().rev().find_map(|block| block["text"].as_str()),
        _ => None,
    };
    text.filter(|text| !text.trim().is_empty())
}

/// Whether a message calls a tool, or has the result of one. A text before it is not the last one.
fn is_of_tool(message: &Value) -> bool {
    let is_item = |kind: &str| kind.ends_with("_call") || kind.ends_with("_output");
    let is_block = |block: &Value| matches!(block["type"].as_str(), Some("tool_use" | "tool_result"));
    message["type"].as_str().is_some_and(is_item)
        || message["content"].as_array().is_some_and(|blocks| blocks.iter().any(is_block))
}

/// The rest of a file from this place, and the place. The whole file if no line begins there. Only the last lines of a file
/// that is too large: they have the run that has ended.
fn part(path: &Path, from: u64, most: u64) -> anyhow::Result<(Vec<u8>, u64)> {
    let read = |from: u64| -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let cannot_read = || format!("cannot read {}", path.display());
    let size = std::fs::metadata(path).with_context(cannot_read)?.len();
    if from > 0 && size.saturating_sub(from) <= most {
        // With the end of the line before.
        let mut bytes = read(from - 1).with_context(cannot_read)?;
        if bytes.first() == Some(&b'\n') {
            bytes.drain(..1);
            return Ok((bytes, from));
        }
    }
    let from = size.saturating_sub(most);
    let mut bytes = read(from).with_context(cannot_read)?;
    if from == 0 {
        return Ok((bytes, 0));
    }
    let cut = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
    bytes.drain(..cut);
    Ok((bytes, from + cut as u64))
}

/// The run that the event is about: the one that it names, else the last one that began before it. A later run may have begun
/// meanwhile, and has not ended. At the end of a session, all have.
fn last_ended(runs: &[TranscriptRun], stopped: &StoppedSession, from: u64) -> Option<usize> {
    if stopped.event.kind() == EventKind::SessionEnd {
        return runs.len().checked_sub(1);
    }
    let is_named = |run: &TranscriptRun| run.turn.is_some() && run.turn.as_deref() == stopped.event.turn();
    let is_before = |run: &TranscriptRun| run.turn.is_none() || from + (run.begin as u64) < stopped.size;
    runs.iter().rposition(is_named).or_else(|| runs.iter().rposition(is_before))
}

/// The runs that have ended, and where the next one begins. A prompt that was sent meanwhile is the begin of the next one, also
/// if it has no answer.
pub(super) fn ended(
    transcript: &mut Transcript,
    stopped: &StoppedSession,
    from: u64,
) -> (Vec<TranscriptRun>, usize) {
    let mut runs = std::mem::take(&mut transcript.runs);
    let last = last_ended(&runs, stopped, from).map_or(0, |last| last + 1);
    let end = runs.get(last).map_or(transcript.end, |next| next.begin);
    runs.truncate(last);
    runs.retain(|run| run.answered);
    (runs, end)
}

/// From which run a transcript is recorded, if none of its runs is: the first one since hooks have seen a prompt of the session,
/// or one whose prompt got lessons, or else the last one. Runs from the time before the hooks are not recorded.
pub(super) fn first_of(runs: &[TranscriptRun], owners: &[Option<usize>], begun: Option<SystemTime>) -> usize {
    let since = begun.map(|begun| DateTime::<Utc>::from(begun - CLOCK_SLACK));
    let is_new = |run: &TranscriptRun| run.started_at.zip(since).is_some_and(|(at, since)| at >= since);
    let seen = runs.iter().position(is_new);
    let owned = owners.iter().flatten().min().copied();
    seen.into_iter().chain(owned).min().unwrap_or(runs.len().saturating_sub(1))
}

/// The run of each prompt: the one with its id, else the first one with its text that has no other prompt. A prompt has one run,
/// because a text such as "continue" is sent more than once. The text decides only if there is no id to compare.
pub(super) fn owners(runs: &[TranscriptRun], prompts: &[(PathBuf, PendingPrompt)]) -> Vec<Option<usize>> {
    let named = |prompt: &PendingPrompt| runs.iter().position(|run| prompt.has_turn(run.turn.as_deref()));
    let mut owners: Vec<Option<usize>> = prompts.iter().map(|(_, prompt)| named(prompt)).collect();
    for (index, (_, prompt)) in prompts.iter().enumerate() {
        if owners[index].is_none() {
            let has_text = |run: &TranscriptRun| prompt.has_text(run.turn.as_deref(), &run.prompt);
            let is_free = |at: &usize| !owners.contains(&Some(*at)) && has_text(&runs[*at]);
            let found = (0..runs.len()).find(is_free);
            owners[index] = found;
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::super::CodingAgent;
    use super::super::event::HookEvent;
    use super::super::options::{Masking, Recording};
    use super::*;
    use crate::spool::{Destination, SpoolLocation};

    fn run(turn: Option<&str>, begin: usize) -> TranscriptRun {
        TranscriptRun { turn: turn.map(str::to_owned), begin, answered: true, ..TranscriptRun::default() }
    }

    fn stopped(event: &str, size: u64) -> StoppedSession {
        StoppedSession {
            agent: CodingAgent::ClaudeCode,
            destination: Destination::new("http://a", "p"),
            recording: Recording {
                mask: Masking::Credentials,
                test_commands: Vec::new(),
                place: SpoolLocation::default(),
            },
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
    fn a_prompt_that_is_not_answered_yet_is_the_begin_of_the_next_run() {
        let open = TranscriptRun { answered: false, ..run(Some("p2"), 50) };
        let of = |event: &str, size| {
            let runs = vec![run(Some("p1"), 0), open.clone()];
            let (runs, end) = ended(&mut Transcript { runs, end: 60 }, &stopped(event, size), 1000);
            (runs.len(), end)
        };

        assert_eq!(of(r#"{"hook_event_name":"Stop"}"#, 1050), (1, 50));
        // The event names the run that has ended, so what was written before the hook looked is of the next one.
        assert_eq!(of(r#"{"hook_event_name":"Stop","prompt_id":"p1"}"#, 1060), (1, 50));
        assert_eq!(of(r#"{"hook_event_name":"SessionEnd"}"#, 1060), (1, 60));
    }

    #[test]
    fn a_prompt_that_is_sent_twice_belongs_to_one_run_each() {
        let prompt = |turn: Option<&str>, text: &str| {
            let prompt = PendingPrompt::new(turn, text, reflect_types::RetrievalId::generate(), Vec::new());
            (PathBuf::new(), prompt)
        };
        let said = |turn: &str, text: &str| TranscriptRun { prompt: text.to_owned(), ..run(Some(turn), 0) };
        let runs = [said("p1", "Go on"), said("p2", "Go on"), said("p3", "Stop")];

        // The third prompt is of a run that has not ended, and the first run got no lessons.
        assert_eq!(owners(&runs[..1], &[prompt(Some("p2"), "Go on")]), [None]);
        let by_id = [prompt(Some("p2"), "Go on"), prompt(Some("p1"), "Go on"), prompt(Some("p9"), "Go on")];
        assert_eq!(owners(&runs, &by_id), [Some(1), Some(0), None]);
        let by_text =
            [prompt(None, "Go on"), prompt(None, "Go on"), prompt(None, "Go on"), prompt(None, "x")];
        let found = owners(&runs, &by_text);
        assert_eq!(found, [Some(0), Some(1), None, None]);
        assert_eq!((first_of(&runs, &found, None), first_of(&runs, &[None], None)), (0, 2));
    }

    #[test]
    fn runs_since_the_first_prompt_that_hooks_saw_are_recorded() {
        let at = |second| DateTime::from_timestamp(second, 0);
        let run = |second| TranscriptRun { started_at: at(second), ..run(None, 0) };
        let runs = [run(100), run(1000), run(2000)];
        let begun = |second| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(second));

        // Before the hooks; interrupted, without lessons; the one that has stopped.
        assert_eq!(first_of(&runs, &[None], begun(1001)), 1);
        assert_eq!(first_of(&runs, &[Some(0)], begun(1001)), 0);
        assert_eq!(first_of(&runs, &[None], begun(3000)), 2);
    }

    #[test]
    fn the_last_message_is_a_text_without_a_call_after_it() {
        let text = |text: &str| json!({ "role": "assistant", "content": [{ "type": "text", "text": text }] });
        let call = json!({ "role": "assistant", "content": [{ "type": "text", "text": "Done." }, { "type": "tool_use" }] });
        let result = json!({ "role": "user", "content": [{ "type": "tool_result", "content": "ok" }] });
        let codex = json!({ "type": "function_call_output", "output": "ok" });

        assert_eq!(last_text(&[result.clone(), text("Done.")]), Some("Done."));
        for messages in
            [vec![text("Done."), call], vec![text("Done."), result], vec![text("Done."), codex], vec![]]
        {
            assert_eq!(last_text(&messages), None, "{messages:?}");
        }
    }

    #[test]
    fn a_part_begins_at_a_line_or_is_the_whole_file() {
        let path = std::env::temp_dir().join(format!("reflect-part-{}", uuid::Uuid::now_v7()));
        std::fs::write(&path, "ab\ncd\n").unwrap();
        let read = |from| part(&path, from, 1000).unwrap();

        assert_eq!(read(3), (b"cd\n".to_vec(), 3));
        assert_eq!(read(6), (Vec::new(), 6));
        for from in [0, 1, 4, 100] {
            assert_eq!(read(from), (b"ab\ncd\n".to_vec(), 0), "{from}");
        }
        // Of too much, whole lines at the end.
        for (from, most) in [(0, 5), (0, 4), (1, 4)] {
            assert_eq!(part(&path, from, most).unwrap(), (b"cd\n".to_vec(), 3), "{from} {most}");
        }
        assert_eq!(part(&path, 3, 3).unwrap(), (b"cd\n".to_vec(), 3));
        assert_eq!(part(&path, 0, 2).unwrap(), (Vec::new(), 6));
        std::fs::remove_file(&path).unwrap();
    }
}

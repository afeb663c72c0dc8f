//! Fuzz target: transcripts of coding agents, complete and in parts.

use reflect_fuzz::{CaseSource, FuzzTarget};
use serde_json::Value;

use super::{Transcript, TranscriptFormat, repaired_json};
use crate::steps;

const WORDS: &[&str] = &[
    "type",
    "user",
    "assistant",
    "attachment",
    "system",
    "uuid",
    "u1",
    "promptId",
    "p1",
    "p2",
    "isSidechain",
    "isMeta",
    "isCompactSummary",
    "message",
    "role",
    "content",
    "text",
    "tool_use",
    "tool_result",
    "tool_use_id",
    "toolUseResult",
    "thinking",
    "Bash",
    "command",
    "cargo test",
    "Exit code 101\n",
    "timestamp",
    "2026-11-18T10:00:00.000Z",
    "version",
    "model",
    "usage",
    "payload",
    "session_meta",
    "turn_context",
    "event_msg",
    "response_item",
    "user_message",
    "task_started",
    "turn_aborted",
    "turn_id",
    "function_call",
    "function_call_output",
    "local_shell_call",
    "call_id",
    "arguments",
    "output",
    "exit_code",
    "compaction",
    "data:image/png;base64,AAAA",
    "[Request interrupted by user]",
    "\\ud83d",
    "\n",
];

#[test]
fn a_transcript_is_read_up_to_its_last_whole_line() {
    FuzzTarget::new("transcripts").words(WORDS).run(lines, |input| {
        for format in [TranscriptFormat::ClaudeCode, TranscriptFormat::Codex] {
            let read = Transcript::read(format, input);

            assert!(read.end == 0 || input[read.end - 1] == b'\n', "{} is inside a line", read.end);
            assert!(!input[read.end..].contains(&b'\n'), "a whole line was not read");
            assert!(read.runs.iter().all(|run| run.begin < read.end), "a run without a line");
            assert!(read.runs.iter().map(|run| run.begin).is_sorted(), "the order of runs");
            let (last, earlier) = match read.runs.split_last() {
                Some((last, earlier)) => (Some(last), earlier),
                None => (None, &[][..]),
            };
            assert!(earlier.iter().all(|run| run.answered), "a run without an answer");
            assert!(last.is_none_or(|run| run.answered || run.turn.is_some()), "the rest of no run");
            for run in &read.runs {
                let _ = steps(&Value::Array(run.messages.clone()).to_string());
            }
            // A line that is being written changes nothing.
            assert_eq!(Transcript::read(format, &input[..read.end]), read, "without its last line");
        }
        let repaired = repaired_json(input);
        if serde_json::from_slice::<Value>(input).is_ok() {
            assert_eq!(repaired.as_bytes(), input, "valid JSON was changed");
        }
    });
}

fn lines(source: &mut CaseSource<'_>) -> String {
    let mut text = String::new();
    for _ in 0..=source.size(8) {
        let line = match source.below(12) {
            0 => source.text(8),
            1 => source.json(3),
            2..=6 => claude_code(source),
            _ => codex(source),
        };
        text.push_str(&line);
        if !source.once_in(12) {
            text.push('\n');
        }
    }
    text
}

fn claude_code(source: &mut CaseSource<'_>) -> String {
    let kind = source.pick_text(&["user", "user", "assistant", "assistant", "system", "attachment"]);
    let prompt = source.pick_text(&["p1", "p1", "p2"]);
    let content = match source.below(4) {
        0 => source.json_string(),
        1 => source.json(2),
        _ => source.array(3, block),
    };
    let (result, time) = (source.json(2), format!("\"{}\"", source.time()));
    let message = source.object(&[
        ("role", format!("\"{kind}\"")),
        ("id", "\"m1\"".to_owned()),
        ("model", "\"x\"".to_owned()),
        ("content", content),
    ]);
    let mut fields = vec![
        ("type", format!("\"{kind}\"")),
        ("promptId", format!("\"{prompt}\"")),
        ("timestamp", time),
        ("message", message),
    ];
    if source.once_in(3) {
        fields.push(("toolUseResult", result));
    }
    if source.once_in(8) {
        let flag = source.pick_text(&["isSidechain", "isMeta", "isCompactSummary"]);
        fields.push((flag, "true".to_owned()));
    }
    source.object(&fields)
}

fn block(source: &mut CaseSource<'_>) -> String {
    let kind = source.pick_text(&["text", "thinking", "tool_use", "tool_result", "image"]);
    let call = source.pick_text(&["t1", "t2"]);
    let (text, command) = (source.json_string(), source.json_string());
    let input = source.object(&[("command", command)]);
    source.object(&[
        ("type", format!("\"{kind}\"")),
        ("text", text.clone()),
        ("id", format!("\"{call}\"")),
        ("tool_use_id", format!("\"{call}\"")),
        ("name", "\"Bash\"".to_owned()),
        ("input", input),
        ("content", text),
        ("is_error", "true".to_owned()),
    ])
}

fn codex(source: &mut CaseSource<'_>) -> String {
    let kind = source.pick_text(&["session_meta", "turn_context", "event_msg", "response_item"]);
    let inner = source.pick_text(&[
        "message",
        "user_message",
        "task_started",
        "turn_aborted",
        "reasoning",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "compaction",
    ]);
    let (text, data, time) = (source.json_string(), source.json(2), format!("\"{}\"", source.time()));
    let role = source.pick_text(&["user", "assistant"]);
    let content = source.object(&[("type", "\"input_text\"".to_owned()), ("text", text.clone())]);
    let payload = source.object(&[
        ("type", format!("\"{inner}\"")),
        ("role", format!("\"{role}\"")),
        ("content", format!("[{content}]")),
        ("message", text.clone()),
        ("turn_id", "\"t1\"".to_owned()),
        ("call_id", "\"c1\"".to_owned()),
        ("name", "\"shell\"".to_owned()),
        ("arguments", text),
        ("output", data),
    ]);
    source.object(&[("type", format!("\"{kind}\"")), ("timestamp", time), ("payload", payload)])
}

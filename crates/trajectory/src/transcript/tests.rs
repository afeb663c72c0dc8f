//! Transcripts as the programs write them, shortened.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{StepKind, steps};

fn read(format: TranscriptFormat, entries: &[Value]) -> Transcript {
    Transcript::read(format, lines(entries).as_bytes())
}

fn lines(entries: &[Value]) -> String {
    entries.iter().map(|entry| format!("{entry}\n")).collect()
}

fn kinds(run: &TranscriptRun) -> Vec<StepKind> {
    let trajectory = Value::Array(run.messages.clone()).to_string();
    steps(&trajectory).iter().map(|step| step.kind).collect()
}

fn commands(run: &TranscriptRun) -> Vec<(&str, Option<i32>)> {
    run.commands.iter().map(|command| (command.command.as_str(), command.exit_code)).collect()
}

mod claude_code {
    use super::*;
    use StepKind::*;

    fn prompt(id: &str, text: &str) -> Value {
        json!({ "type": "user", "uuid": format!("u-{id}"), "promptId": id, "isSidechain": false, "version": "2.1.327",
                "timestamp": "2026-11-18T10:00:00.000Z", "message": { "role": "user", "content": text } })
    }

    fn answer(id: &str, block: Value) -> Value {
        json!({ "type": "assistant", "uuid": format!("a-{id}-{}", block["type"]), "timestamp": "2026-11-18T10:00:02.000Z",
                "message": { "role": "assistant", "id": id, "model": "claude-x", "content": [block],
                             "usage": { "input_tokens": 10, "output_tokens": 5 } } })
    }

    fn bash(id: &str, call: &str, command: &str) -> Value {
        answer(id, json!({ "type": "tool_use", "id": call, "name": "Bash", "input": { "command": command } }))
    }

    fn text(id: &str, text: &str) -> Value {
        answer(id, json!({ "type": "text", "text": text }))
    }

    fn result(call: &str, output: &str, failed: bool, details: Value) -> Value {
        json!({ "type": "user", "uuid": format!("r-{call}"), "promptId": "p1", "toolUseResult": details,
                "message": { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": call, "content": output, "is_error": failed }] } })
    }

    #[test]
    fn a_run_has_all_calls_in_order_and_an_answer_in_blocks_is_one_message() {
        let read = read(
            TranscriptFormat::ClaudeCode,
            &[
                json!({ "type": "file-history-snapshot", "messageId": "x" }),
                prompt("p1", "Fix the test"),
                answer("m1", json!({ "type": "thinking", "thinking": "look first", "signature": "c2ln" })),
                text("m1", "I run it."),
                bash("m1", "t1", "cargo test"),
                bash("m1", "t2", "git status"),
                result("t1", "Exit code 101\nassertion failed", true, json!("Error: Exit code 101")),
                result("t2", "clean", false, json!({ "stdout": "clean", "interrupted": false })),
                bash("m2", "t3", "cargo test"),
                result("t3", "ok", false, json!({ "stdout": "ok", "interrupted": false })),
                text("m3", "Fixed."),
            ],
        );

        let [run] = read.runs.as_slice() else { panic!("{read:?}") };
        assert_eq!((run.turn.as_deref(), run.prompt.as_str()), (Some("p1"), "Fix the test"));
        assert_eq!((run.model.as_deref(), run.version.as_deref()), (Some("claude-x"), Some("2.1.327")));
        let expected = [
            User, Reasoning, Assistant, ToolCall, ToolCall, ToolResult, ToolResult, ToolCall, ToolResult,
            Assistant,
        ];
        assert_eq!(kinds(run), expected);
        assert_eq!(run.messages.len(), 7, "{:#?}", run.messages);
        let expected = [("cargo test", Some(101)), ("git status", Some(0)), ("cargo test", Some(0))];
        assert_eq!(commands(run), expected);
        assert!(run.acted && !run.interrupted);
        assert!(!run.messages[1].to_string().contains("c2ln"), "signatures are of no use");
    }

    #[test]
    fn a_session_has_a_run_for_each_prompt_that_was_answered() {
        let read = read(
            TranscriptFormat::ClaudeCode,
            &[
                prompt("p1", "<command-name>/model</command-name>\n<command-message>model</command-message>"),
                prompt("p1", "<local-command-stdout>Set model</local-command-stdout>"),
                prompt("p2", "One"),
                text("m1", "1"),
                prompt(
                    "p3",
                    "<command-message>deploy</command-message>\n<command-name>/deploy</command-name>\n<command-args>staging</command-args>",
                ),
                text("m2", "2"),
                json!({ "type": "user", "isMeta": true, "uuid": "x", "promptId": "p9", "message": { "content": "meta" } }),
                prompt("p4", "Never answered"),
            ],
        );

        let found: Vec<_> = read.runs.iter().map(|run| run.prompt.as_str()).collect();
        assert_eq!(found, ["One", "/deploy staging", "Never answered"]);
        assert!(read.runs.iter().rev().skip(1).all(|run| run.answered) && !read.runs[2].answered);
    }

    #[test]
    fn a_line_with_half_a_character_is_not_lost() {
        let cut = lines(&[prompt("p1", "Show CUT")]).replace("CUT", r"\ud83d \ud83d\ude00 \\ud83d");
        let mut transcript = cut.into_bytes();
        let answer = lines(&[text("m1", "Not BYTE")]);
        let (before, after) = answer.split_once("BYTE").unwrap();
        transcript.extend([before.as_bytes(), &[0xff], after.as_bytes()].concat());

        let read = Transcript::read(TranscriptFormat::ClaudeCode, &transcript);

        assert_eq!(read.runs[0].prompt, "Show \u{fffd} \u{1f600} \\ud83d");
        assert_eq!(kinds(&read.runs[0]), [User, Assistant]);
    }

    #[test]
    fn compaction_subagents_and_resumed_sessions_neither_add_nor_lose_steps() {
        let side = json!({ "type": "assistant", "isSidechain": true, "uuid": "s",
                           "message": { "id": "m9", "content": [{ "type": "text", "text": "of a subagent" }] } });
        let boundary =
            json!({ "type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": null });
        let summary = json!({ "type": "user", "isCompactSummary": true, "uuid": "d", "promptId": "p1",
                              "message": { "role": "user", "content": "This session is continued …" } });
        let entries = [
            prompt("p1", "Long work"),
            bash("m1", "t1", "make"),
            result("t1", "ok", false, Value::Null),
            side,
            boundary,
            summary,
            // Some versions write a note of the program with the id of the prompt.
            prompt("p1", "Continue"),
            text("m2", "Done."),
        ];
        let read = read(TranscriptFormat::ClaudeCode, &entries);

        let [run] = read.runs.as_slice() else { panic!("{read:?}") };
        assert_eq!(kinds(run), [User, ToolCall, ToolResult, User, Assistant]);
    }

    #[test]
    fn a_growing_transcript_is_read_in_parts() {
        let entries = [
            prompt("p1", "One"),
            text("m1", "1"),
            bash("m2", "t1", "ls"),
            prompt("p2", "Two"),
            text("m3", "2"),
        ];
        let whole = lines(&entries);
        let half = lines(&entries[..2]).len();
        let first = Transcript::read(TranscriptFormat::ClaudeCode, &whole.as_bytes()[..half + 7]);
        let rest = Transcript::read(TranscriptFormat::ClaudeCode, &whole.as_bytes()[first.end..]);

        assert_eq!((first.end, first.runs.len()), (half, 1));
        let turns: Vec<_> = rest.runs.iter().map(|run| run.turn.as_deref()).collect();
        assert_eq!(turns, [None, Some("p2")]);
        // The rest of a run has the time of its first line, so it gets the same id whenever it is read.
        assert!(rest.runs[0].started_at.is_some());
        assert_eq!(first.end + rest.end, whole.len());
        assert_eq!(first.end + rest.runs[1].begin, lines(&entries[..3]).len());
    }

    #[test]
    fn exit_codes_that_are_not_known_are_none() {
        let details = [
            json!({ "interrupted": true }),
            json!({ "backgroundTaskId": "b1" }),
            json!({ "returnCodeInterpretation": "No matches found" }),
        ];
        let mut entries = vec![prompt("p1", "Run")];
        for (index, details) in details.into_iter().enumerate() {
            let call = format!("t{index}");
            entries.extend([bash("m", &call, "pytest"), result(&call, "", false, details)]);
        }
        entries.extend([
            bash("m", "refused", "pytest"),
            result("refused", "The user doesn't want to", true, Value::Null),
        ]);
        // The command printed it; the program writes it in the first line.
        entries.extend([
            bash("m", "stopped", "pytest"),
            result("stopped", "Stopped\nExit code 1", true, Value::Null),
        ]);
        entries.push(bash("m", "open", "pytest"));

        let read = read(TranscriptFormat::ClaudeCode, &entries);

        assert!(
            read.runs[0].commands.iter().all(|command| command.exit_code.is_none()),
            "{:?}",
            read.runs[0].commands
        );
        assert_eq!(read.runs[0].commands.len(), 6);
    }

    #[test]
    fn lessons_of_a_hook_queued_prompts_and_interruptions_are_seen_and_pictures_are_not_kept() {
        let lessons = "<memories>\nLessons\n\n## Do it\nSo.\n</memories>";
        let attachment = |value: Value| json!({ "type": "attachment", "uuid": "x", "attachment": value });
        let picture = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "A".repeat(5000) } });
        let mut with_picture = prompt("p1", "");
        with_picture["message"]["content"] = json!([{ "type": "text", "text": "See" }, picture,
                                                    { "type": "text", "text": "<system-reminder>x</system-reminder>" }]);
        let read = read(
            TranscriptFormat::ClaudeCode,
            &[
                with_picture,
                attachment(
                    json!({ "type": "hook_additional_context", "content": [lessons], "hookEvent": "UserPromptSubmit" }),
                ),
                attachment(json!({ "type": "hook_additional_context", "content": ["of another hook"] })),
                text("m1", "I see."),
                attachment(json!({ "type": "queued_command", "prompt": "And hurry" })),
                json!({ "type": "user", "uuid": "i", "message": { "content": [{ "type": "text", "text": "[Request interrupted by user]" }] } }),
            ],
        );

        let run = &read.runs[0];
        assert_eq!((run.prompt.as_str(), run.interrupted), ("See", true));
        assert_eq!(kinds(run), [User, Memory, Assistant, User]);
        let text = Value::Array(run.messages.clone()).to_string();
        assert!(text.len() < 1500 && text.contains("(5000 bytes)"), "{text}");
    }
}

mod codex {
    use super::*;
    use StepKind::*;

    fn line(kind: &str, payload: Value) -> Value {
        json!({ "timestamp": "2026-11-18T10:00:00.000Z", "type": kind, "payload": payload })
    }

    fn item(payload: Value) -> Value {
        line("response_item", payload)
    }

    fn line_of_item(item: Value) -> Value {
        line("event_msg", json!({ "type": "item_completed", "turn_id": "t1", "item": item }))
    }

    fn said(role: &str, text: &str) -> Value {
        let kind = if role == "assistant" { "output_text" } else { "input_text" };
        item(
            json!({ "type": "message", "id": "msg_1", "role": role, "content": [{ "type": kind, "text": text }] }),
        )
    }

    fn begin(turn: &str) -> Vec<Value> {
        vec![
            line("event_msg", json!({ "type": "task_started", "turn_id": turn })),
            line("turn_context", json!({ "turn_id": turn, "cwd": "/repo", "model": "gpt-x" })),
        ]
    }

    fn call(id: &str, name: &str, arguments: Value) -> Value {
        item(
            json!({ "type": "function_call", "id": "fc_1", "name": name, "arguments": arguments.to_string(), "call_id": id }),
        )
    }

    fn output(id: &str, text: &str) -> Value {
        item(json!({ "type": "function_call_output", "call_id": id, "output": text }))
    }

    #[test]
    fn a_run_has_all_calls_and_not_the_instructions_of_the_program() {
        let lessons = "<memories>\nLessons\n\n## Do it\nSo.\n</memories>";
        let mut entries = vec![line("session_meta", json!({ "id": "s1", "cli_version": "0.169.0" }))];
        entries.extend(begin("t1"));
        entries.extend([
            said("developer", "<permissions instructions>You may …"),
            said("user", "<environment_context>…</environment_context>"),
            said("user", "Fix the test"),
            line("event_msg", json!({ "type": "user_message", "message": "Fix the test" })),
            said("developer", lessons),
            item(json!({ "type": "reasoning", "summary": [], "encrypted_content": "x" })),
            call("c1", "exec_command", json!({ "cmd": "cargo test" })),
            output("c1", "Chunk ID: a\nWall time: 1.2500 seconds\nProcess exited with code 101\nOutput:\nfailed"),
            item(json!({ "type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": "*** Begin Patch" })),
            item(json!({ "type": "custom_tool_call_output", "call_id": "c2", "output": "Exit code: 0\nOutput:\ndone" })),
            call("c3", "shell", json!({ "command": ["bash", "-lc", "cargo test"] })),
            output("c3", "Exit code: 0\nWall time: 2 seconds\nOutput:\nProcess exited with code 7"),
            said("assistant", "Fixed."),
            line("event_msg", json!({ "type": "task_complete", "turn_id": "t1", "last_agent_message": "Fixed." })),
        ]);

        let read = read(TranscriptFormat::Codex, &entries);

        let [run] = read.runs.as_slice() else { panic!("{read:?}") };
        assert_eq!((run.turn.as_deref(), run.prompt.as_str()), (Some("t1"), "Fix the test"));
        assert_eq!((run.model.as_deref(), run.version.as_deref()), (Some("gpt-x"), Some("0.169.0")));
        let expected =
            [User, Memory, ToolCall, ToolResult, ToolCall, ToolResult, ToolCall, ToolResult, Assistant];
        assert_eq!(kinds(run), expected);
        assert_eq!(commands(run), [("cargo test", Some(101)), ("cargo test", Some(0))]);
        assert_eq!(run.messages[3]["is_error"], true);
        assert_eq!(run.messages[7].get("is_error"), None);
    }

    #[test]
    fn a_command_that_outlives_its_call_gets_the_exit_code_of_a_later_one() {
        let mut entries = begin("t1");
        entries.extend([
            said("user", "Test"),
            call("c1", "exec_command", json!({ "cmd": "pytest" })),
            output("c1", "Wall time: 10.0 seconds\nProcess running with session ID 4711\nOutput:\n…"),
            call("c2", "write_stdin", json!({ "session_id": 4711, "chars": "" })),
            output("c2", "Wall time: 10.0 seconds\nProcess running with session ID 4711\nOutput:\n…"),
            call("c3", "write_stdin", json!({ "session_id": 4711, "chars": "" })),
            output("c3", "Wall time: 3.0 seconds\nProcess exited with code 1\nOutput:\n1 failed"),
            call("c4", "shell_command", json!({ "command": "npm test" })),
            item(json!({ "type": "function_call_output", "call_id": "c4",
                         "output": "{\"output\":\"ok\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.1}}" })),
            item(json!({ "type": "local_shell_call", "call_id": "c5", "status": "completed",
                         "action": { "type": "exec", "command": ["go", "test", "./..."] } })),
            output("c5", "Exit code: 2\nOutput:\nFAIL"),
        ]);

        let read = read(TranscriptFormat::Codex, &entries);

        let expected = [("pytest", Some(1)), ("npm test", Some(0)), ("go test ./...", Some(2))];
        assert_eq!(commands(&read.runs[0]), expected);
    }

    #[test]
    fn what_a_command_prints_does_not_say_how_it_ended() {
        let mut entries = begin("t1");
        entries.extend([
            said("user", "Test"),
            call("c1", "exec_command", json!({ "cmd": "cat log" })),
            output("c1", "Process exited with code 0\nOutput:\nProcess running with session ID 4711"),
            call("c2", "write_stdin", json!({ "session_id": 4711, "chars": "" })),
            output("c2", "Wall time: 3.0 seconds\nProcess exited with code 1\nOutput:\n"),
            call("c3", "read_log", json!({})),
            output("c3", "Exit code: 3"),
        ]);

        let read = read(TranscriptFormat::Codex, &entries);

        assert_eq!(commands(&read.runs[0]), [("cat log", Some(0))]);
        assert_eq!(read.runs[0].messages.last().unwrap().get("is_error"), None);
    }

    #[test]
    fn commands_that_a_program_of_the_agent_ran_are_found_and_none_counts_twice() {
        let completed = |id: &str, line: &str, code: i32| {
            let command = json!(["/bin/bash", "-lc", line]);
            let item = json!({ "type": "CommandExecution", "id": id, "command": command, "exit_code": code,
                               "aggregated_output": "3 failed\n" });
            line_of_item(item)
        };
        let mut entries = begin("t1");
        entries.extend([
            said("user", "Test"),
            call("c1", "exec_command", json!({ "cmd": "pytest" })),
            completed("c1", "pytest", 1),
            output("c1", "Process exited with code 1\nOutput:\n3 failed"),
            item(json!({ "type": "custom_tool_call", "call_id": "c2", "name": "exec", "input": "tools.exec_command({…})" })),
            completed("exec-1", "cargo test", 101),
            output("c2", "done"),
        ]);

        let read = read(TranscriptFormat::Codex, &entries);

        assert_eq!(commands(&read.runs[0]), [("pytest", Some(1)), ("cargo test", Some(101))]);
        assert_eq!(read.runs[0].commands[1].output, "3 failed");
    }

    #[test]
    fn turns_are_runs_and_a_turn_without_a_prompt_of_its_own_is_none() {
        let mut entries = begin("t1");
        entries.extend([said("user", "One"), said("assistant", "1")]);
        entries.extend(begin("compact"));
        entries.push(line("compacted", json!({ "message": "summary", "replacement_history": [] })));
        entries.extend(begin("t2"));
        entries.extend([
            said("user", "Two"),
            call("c1", "exec_command", json!({ "cmd": "ls" })),
            line("compacted", json!({ "message": "summary" })),
            // The context is written again after a compaction in the middle of a turn.
            line("turn_context", json!({ "turn_id": "t2", "model": "gpt-x" })),
            said("assistant", "2"),
            line("event_msg", json!({ "type": "turn_aborted", "turn_id": "t2", "reason": "interrupted" })),
        ]);

        let read = read(TranscriptFormat::Codex, &entries);

        let found: Vec<_> = read.runs.iter().map(|run| (run.prompt.as_str(), run.interrupted)).collect();
        assert_eq!(found, [("One", false), ("Two", true)]);
        assert_eq!(kinds(&read.runs[1]), [User, ToolCall, Assistant]);
    }
}

/// Lines that look like those of a transcript, with any values.
fn garbage() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "user",
        "assistant",
        "attachment",
        "response_item",
        "event_msg",
        "turn_context",
        "message",
        "function_call",
        "function_call_output",
        "tool_use",
        "tool_result",
        "task_started",
        "t1",
        "Bash",
        "exec_command",
    ]);
    let name = prop::sample::select(vec![
        "type",
        "message",
        "content",
        "payload",
        "role",
        "id",
        "uuid",
        "promptId",
        "turn_id",
        "call_id",
        "name",
        "input",
        "arguments",
        "output",
        "text",
        "attachment",
        "tool_use_id",
        "timestamp",
        "toolUseResult",
    ]);
    let leaf = prop_oneof![
        word.prop_map(|word| json!(word)),
        any::<i32>().prop_map(|number| json!(number)),
        Just(Value::Null)
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|fields| Value::Object(
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

proptest! {
    #[test]
    fn any_lines_can_be_read_and_are_read_to_their_end(entries in prop::collection::vec(garbage(), 0..8), tail in ".{0,20}") {
        let text = format!("{}{}", lines(&entries), tail.replace('\n', ""));
        for format in [TranscriptFormat::ClaudeCode, TranscriptFormat::Codex] {
            let read = Transcript::read(format, text.as_bytes());
            prop_assert_eq!(read.end, lines(&entries).len());
        }
    }
}

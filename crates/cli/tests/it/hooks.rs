//! `reflect hook`, called as coding agents call it. conformance/hooks.py does the same with the agents themselves.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell::{Ran, Shell, bare, ran};

const PATIENCE: Duration = Duration::from_secs(30);

/// A hook with this event on stdin.
fn hook(command: &mut Command, event: &str) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // The hook may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn event(name: &str, transcript: &Path, more: Value) -> String {
    let mut event = json!({
        "session_id": "s1", "transcript_path": transcript, "cwd": transcript.parent(), "hook_event_name": name,
    });
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event.to_string()
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}

/// A prompt, a failed and a passed test, and an answer.
fn transcript(turn: &str, prompt: &str) -> String {
    let now = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    let now = now.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let call = |id: &str| {
        json!({ "type": "assistant", "uuid": format!("{turn}{id}"), "timestamp": now, "message": { "role": "assistant",
            "id": format!("{turn}-m{id}"), "model": "claude-x",
            "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "cargo test" } }] } })
    };
    let result = |id: &str, failed: bool, output: &str| {
        json!({ "type": "user", "uuid": format!("{turn}r{id}"), "promptId": turn, "timestamp": now,
            "toolUseResult": { "interrupted": false },
            "message": { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": id, "is_error": failed, "content": output }] } })
    };
    [
        json!({ "type": "user", "uuid": format!("{turn}p"), "promptId": turn, "timestamp": now,
            "message": { "role": "user", "content": prompt } }),
        call("t1"),
        result("t1", true, "Exit code 101\npassword=hunter2secret99"),
        call("t2"),
        result("t2", false, "ok"),
        json!({ "type": "assistant", "uuid": format!("{turn}a"), "timestamp": now, "message": { "role": "assistant",
            "id": format!("{turn}-end"), "content": [{ "type": "text", "text": format!("Done with {turn}.") }] } }),
    ]
    .iter()
    .map(line)
    .collect()
}

fn stop(transcript: &Path, turn: &str) -> String {
    event(
        "Stop",
        transcript,
        json!({ "prompt_id": turn, "last_assistant_message": format!("Done with {turn}.") }),
    )
}

/// Waits until the server has this many runs.
fn recorded(shell: &Shell, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let list = shell.run(&["traces", "list", "--json"]).json("trace.list/1");
        let items = list["items"].as_array().unwrap().clone();
        if items.len() >= count {
            assert_eq!(items.len(), count, "{items:?}");
            return items;
        }
        assert!(begun.elapsed() < PATIENCE, "{} of {count} runs after {PATIENCE:?}", items.len());
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_reaches_the_agent_and_its_run_is_recorded_with_the_receipt() {
    let shell = Shell::open().await;
    shell
        .run(&["memories", "add", "--task", "Fix the failing test", "--guidance", "Read the fixture first."])
        .ok();
    let path = shell.home.join("s1.jsonl");

    let prompt =
        event("UserPromptSubmit", &path, json!({ "prompt": "Fix the failing test", "prompt_id": "p1" }));
    let answered = hook(&mut shell.command(&["hook", "claude-code"]), &prompt);
    std::fs::write(&path, transcript("p1", "Fix the failing test")).unwrap();
    let stopped = hook(&mut shell.command(&["hook", "claude-code", "--wait"]), &stop(&path, "p1"));

    let answer: Value = serde_json::from_str(&answered.ok()).unwrap();
    let specific = &answer["hookSpecificOutput"];
    assert_eq!((answer.as_object().unwrap().len(), specific.as_object().unwrap().len()), (1, 2));
    assert!(specific["additionalContext"].as_str().unwrap().contains("Read the fixture first."), "{answer}");
    assert_eq!(stopped.ok(), "");
    let run = &recorded(&shell, 1)[0];
    let trace = shell.run(&["traces", "get", run["id"].as_str().unwrap(), "--json"]).json("trace.get/1");
    let trace = &trace["item"];
    assert_eq!(
        (&trace["task"], &trace["link"]),
        (&"Fix the failing test".into(), &"receipt".into()),
        "{trace}"
    );
    assert_eq!(trace["model"], "claude-x");
    let metadata = &trace["metadata"];
    assert_eq!(
        (&metadata["agent"], &metadata["session"], &metadata["tests"]),
        (&"claude-code".into(), &"s1".into(), &"pass".into())
    );
    let text = trace["trajectory"].to_string();
    assert_eq!(text.matches("\"tool_use\"").count(), 2, "{text}");
    assert!(!text.contains("hunter2secret99") && text.contains("[secret:"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_run_of_a_session_is_recorded_once_however_often_the_agent_stops() {
    let shell = Shell::open().await;
    let path = shell.home.join("s1.jsonl");
    let run = |event: &str| hook(&mut shell.command(&["hook", "claude-code", "--wait"]), event).ok();

    // From the time before the hooks were installed.
    std::fs::write(&path, transcript("p0", "Before")).unwrap();
    std::fs::write(&path, [transcript("p0", "Before"), transcript("p1", "One")].concat()).unwrap();
    for _ in 0..3 {
        run(&stop(&path, "p1"));
    }
    // The second prompt was interrupted, and the third one has ended.
    let rest = [transcript("p2", "Two"), transcript("p3", "Three")].concat();
    std::fs::write(&path, [transcript("p0", "Before"), transcript("p1", "One"), rest].concat()).unwrap();
    run(&stop(&path, "p3"));
    run(&event("SessionEnd", &path, json!({ "reason": "other" })));
    // Without its state, the last run is recorded again with the same id.
    std::fs::remove_dir_all(shell.home.join(".local/state/reflect/hooks")).unwrap();
    run(&stop(&path, "p3"));

    let mut tasks: Vec<String> =
        recorded(&shell, 3).iter().map(|run| run["task"].as_str().unwrap().to_owned()).collect();
    tasks.sort();
    assert_eq!(tasks, ["One", "Three", "Two"]);
    let status = shell.run(&["spool", "status", "--json"]).json("spool.status/1");
    assert_eq!(status["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_is_sent_before_the_last_run_is_recorded_is_a_run_of_its_own() {
    let shell = Shell::open().await;
    let path = shell.home.join("s1.jsonl");
    let run = |event: &str| hook(&mut shell.command(&["hook", "claude-code", "--wait"]), event).ok();
    let (first, second) = (transcript("p1", "One"), transcript("p2", "Two"));
    let (prompt, _) = second.split_at(second.find('\n').unwrap() + 1);

    std::fs::write(&path, [first.as_str(), prompt].concat()).unwrap();
    run(&stop(&path, "p1"));
    std::fs::write(&path, [first.as_str(), second.as_str()].concat()).unwrap();
    run(&stop(&path, "p2"));

    let answers = recorded(&shell, 2).into_iter().map(|run| {
        let run = shell.run(&["traces", "get", run["id"].as_str().unwrap(), "--json"]).json("trace.get/1");
        let text = |name: &str| run["item"][name].as_str().unwrap().to_owned();
        (text("task"), text("final_response"))
    });
    let mut answers: Vec<(String, String)> = answers.collect();
    answers.sort();
    let expected = [("One", "Done with p1."), ("Two", "Done with p2.")];
    assert_eq!(answers, expected.map(|(task, answer)| (task.to_owned(), answer.to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_character_in_an_event_and_in_a_transcript_loses_nothing() {
    let shell = Shell::open().await;
    let path = shell.home.join("s1.jsonl");
    std::fs::write(&path, transcript("p1", "Show CUT").replace("CUT", r"\ud83d")).unwrap();

    let event = stop(&path, "p1").replace("Done with p1.", r"Done with p1. \ud83d");
    hook(&mut shell.command(&["hook", "claude-code", "--wait"]), &event).ok();

    assert_eq!(recorded(&shell, 1)[0]["task"], "Show \u{fffd}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_the_run_waits_on_this_machine_and_is_sent_with_a_later_one() {
    let shell = Shell::open().await;
    let path = shell.home.join("s1.jsonl");
    std::fs::write(&path, transcript("p1", "One")).unwrap();
    let away = |event: &str| {
        // The destination stays; only nothing listens.
        let mut command = shell.command(&["hook", "claude-code", "--wait"]);
        hook(command.env("REFLECT_BASE_URL", "http://127.0.0.1:1"), event)
    };

    let prompt = event("UserPromptSubmit", &path, json!({ "prompt": "One", "prompt_id": "p1" }));
    let answered = away(&prompt);
    let stopped = away(&stop(&path, "p1"));

    assert_eq!((answered.code, answered.out.as_str(), answered.err.as_str()), (Some(0), "", ""));
    assert_eq!((stopped.code, stopped.out.as_str(), stopped.err.as_str()), (Some(0), "", ""));
    shell.run(&["spool", "redirect", "--from-url", "http://127.0.0.1:1", "--yes"]).ok();
    std::fs::write(&path, [transcript("p1", "One"), transcript("p2", "Two")].concat()).unwrap();
    hook(&mut shell.command(&["hook", "claude-code"]), &stop(&path, "p2")).ok();
    assert_eq!(recorded(&shell, 2).len(), 2);
}

/// Reads requests and rejects them. Returns the address, and the number of calls with runs.
fn rejecting_server() -> (String, Arc<AtomicUsize>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let lines = reader.by_ref().lines().map(Result::unwrap).take_while(|line| !line.is_empty());
            let head: Vec<String> = lines.map(|line| line.to_lowercase()).collect();
            let is_batch = head.first().is_some_and(|line| line.contains("/traces/batch"));
            counted.fetch_add(usize::from(is_batch), Ordering::Relaxed);
            let length = head.iter().find_map(|line| line.strip_prefix("content-length:"));
            let length: Option<usize> = length.map(|length| length.trim().parse().unwrap());
            let mut body = vec![0; length.unwrap_or(0)];
            let _ = reader.read_exact(&mut body);
            let answer =
                "HTTP/1.1 422 Unprocessable Entity\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
        }
    });
    (url, calls)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_the_server_rejects_stays_on_this_machine_and_is_not_sent_again() {
    let home = std::env::temp_dir().join(format!("reflect-hook-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir_all(&home).unwrap();
    let (url, calls) = rejecting_server();
    let path = home.join("s1.jsonl");
    let connection = ["--api-key", "rf_test_x", "--base-url", &url];
    let mut written = String::new();
    for turn in ["p1", "p2", "p3"] {
        written.push_str(&transcript(turn, "Fix it"));
        std::fs::write(&path, &written).unwrap();
        let arguments = [&["hook", "claude-code", "--wait"], &connection[..]].concat();
        hook(&mut bare(&home, &arguments), &stop(&path, turn)).ok();
    }

    assert_eq!(calls.load(Ordering::Relaxed), 3);
    let arguments = [&["spool", "status", "--json"], &connection[..]].concat();
    let status = ran(&mut bare(&home, &arguments)).json("spool.status/1");
    assert_eq!((&status["items"][0]["runs"], &status["items"][0]["refused"]), (&json!(3), &json!(3)));
    std::fs::remove_dir_all(&home).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_ends_with_0_whatever_happens() {
    let home = std::env::temp_dir().join(format!("reflect-hook-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir_all(&home).unwrap();
    let bare_hook = |arguments: &[&str], input: &str| hook(&mut bare(&home, arguments), input);
    let prompt = event("UserPromptSubmit", &home.join("none.jsonl"), json!({ "prompt": "x" }));
    for (arguments, input) in [
        (&["hook", "codex"][..], ""),
        (&["hook", "codex"], "not json"),
        (&["hook", "codex"], "[]"),
        (&["hook", "codex"], r#"{"hook_event_name": 5}"#),
        (&["hook", "codex", "--no-such-flag"], &prompt),
        (&["hook", "codex", "--limit", "soon"], &prompt),
        (&["hook", "codex", "--json"], &prompt),
        // Without a key, and with a folder that cannot be made.
        (&["hook", "codex"], &prompt),
        (&["hook", "codex"], &stop(&home.join("none.jsonl"), "p1")),
    ] {
        let ran = bare_hook(arguments, input);
        assert_eq!(
            (ran.code, ran.out.as_str(), ran.err.as_str()),
            (Some(0), "", ""),
            "{arguments:?} {input}"
        );
    }
    let told = bare_hook(&["hook", "codex", "--debug"], &prompt);
    assert!(told.code == Some(0) && told.err.contains("REFLECT_API_KEY"), "{}", told.err);
    let mut blocked = bare(&home, &["hook", "codex", "--api-key", "rf_test_x"]);
    let ran = hook(blocked.env("REFLECT_HOOK_STATE", "/proc/none"), &prompt);
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    std::fs::remove_dir_all(&home).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_costs_the_limit_at_most() {
    let home = std::env::temp_dir().join(format!("reflect-hook-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir_all(&home).unwrap();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let prompt = event("UserPromptSubmit", &home.join("none.jsonl"), json!({ "prompt": "x" }));

    let begun = Instant::now();
    let mut command =
        bare(&home, &["hook", "codex", "--api-key", "rf_test_x", "--base-url", &url, "--limit", "300"]);
    let ran = hook(&mut command, &prompt);

    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    std::fs::remove_dir_all(&home).unwrap();
}

struct Settings {
    home: PathBuf,
}

impl Settings {
    fn new() -> Self {
        let home = std::env::temp_dir().join(format!("reflect-settings-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir_all(home.join("repo/.git")).unwrap();
        std::fs::create_dir_all(home.join("repo/src")).unwrap();
        Self { home }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = bare(&self.home, &[&["hook"], arguments].concat());
        ran(command.current_dir(self.home.join("repo/src")))
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.home.join(name)).unwrap_or_default()
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

#[test]
fn hooks_are_installed_listed_and_removed() {
    let settings = Settings::new();
    let before = "{\n  \"model\": \"opus\"\n}\n";
    std::fs::create_dir_all(settings.home.join(".claude")).unwrap();
    std::fs::write(settings.home.join(".claude/settings.json"), before).unwrap();

    let preview = settings.run(&["install", "claude-code", "--dry-run"]).ok();
    assert!(preview.contains("+ ") && preview.contains("UserPromptSubmit"), "{preview}");
    assert_eq!(settings.read(".claude/settings.json"), before);
    let installed = settings.run(&["install", "claude-code"]);
    assert!(installed.err.contains("REFLECT_API_KEY"), "{}", installed.err);
    assert_eq!(installed.code, Some(0));
    let with = settings.read(".claude/settings.json");
    let parsed: Value = serde_json::from_str(&with).unwrap();
    for event in ["UserPromptSubmit", "Stop", "SessionEnd"] {
        let handler = &parsed["hooks"][event][0]["hooks"][0];
        assert!(handler["command"].as_str().unwrap().ends_with("hook claude-code"), "{with}");
    }
    let again = settings.run(&["install", "claude-code", "--json"]).json("hook.install/1");
    assert_eq!((&again["item"]["changed"], settings.read(".claude/settings.json")), (&false.into(), with));

    settings.run(&["install", "codex", "--level", "project", "--", "--project", "shop"]).ok();
    assert!(settings.read("repo/.codex/hooks.json").contains("reflect hook codex --project shop"));
    let list = settings.run(&["list", "--json"]).json("hook.list/1");
    let state: Vec<(&str, &str, bool)> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (item["agent"].as_str().unwrap(), item["level"].as_str().unwrap(), item["installed"] == true)
        })
        .collect();
    let expected = [
        ("claude-code", "user", true),
        ("claude-code", "project", false),
        ("claude-code", "local", false),
        ("codex", "user", false),
        ("codex", "project", true),
    ];
    assert_eq!(state, expected);

    settings.run(&["remove", "claude-code"]).ok();
    assert_eq!(settings.read(".claude/settings.json"), before);
    let nothing = settings.run(&["remove", "claude-code"]).ok();
    assert!(nothing.contains("unchanged"), "{nothing}");
    let local = settings.run(&["install", "codex", "--level", "local"]);
    let secret = settings.run(&["install", "codex", "--", "--api-key", "rf_live_x"]);
    assert_eq!([local.code, secret.code], [Some(2), Some(2)]);
    assert!(settings.run(&["print"]).ok().contains("retrieve_memories"));
}

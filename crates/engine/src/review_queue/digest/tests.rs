//! Digests and signals of runs in the forms that frameworks write.

use reflect_store::MemoryStanding;
use serde_json::json;

use super::super::signals::SignalKind;
use super::*;

fn subject(trajectory: &str) -> Subject<'_> {
    Subject {
        task: "Refund order 1182",
        trajectory: Some(trajectory),
        answer: Some("Refund issued."),
        metadata: &Value::Null,
        linked: &[],
        memories: &[],
        degraded: false,
        usual: TypicalRun::default(),
    }
}

fn kinds(digest: &Digest) -> Vec<SignalKind> {
    digest.signals.iter().map(|signal| signal.kind).collect()
}

#[test]
fn a_run_of_chat_messages_is_shown_step_by_step() {
    let trajectory = json!([
        { "role": "system", "content": "Be kind." },
        { "role": "user", "content": "Refund order 1182\nplease" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "1", "function": { "name": "lookup_order", "arguments": "{\"id\": 1182}" } }] },
        { "role": "tool", "tool_call_id": "1", "content": "error: not found", "status": "error" },
        { "role": "assistant", "content": "Refund issued." },
    ])
    .to_string();

    let digest = digest(&subject(&trajectory));

    let steps = digest.steps.unwrap();
    let titles: Vec<&str> = steps.listed.iter().map(|line| line.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Be kind.",
            "Refund order 1182",
            "lookup_order {\"id\": 1182}",
            "lookup_order: error: not found",
            "Refund issued.",
        ]
    );
    assert_eq!(
        steps.by_kind,
        [("system", 1), ("user", 1), ("assistant", 1), ("tool_call", 1), ("tool_result", 1),]
    );
    assert!(steps.listed[3].failed);
    assert_eq!(digest.signals, [Signal { kind: SignalKind::ToolError, count: 1, step: Some(4) }]);
}

#[test]
fn the_same_run_in_other_forms_shows_the_same_signals() {
    let anthropic = json!([
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm" },
            { "type": "tool_use", "id": "1", "name": "run", "input": { "x": 1 } }] },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "1", "is_error": true, "content": "boom" }] },
    ]);
    let items = json!([
        { "type": "function_call", "call_id": "1", "name": "run", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "1", "output": "{\"error\": \"boom\"}" },
    ]);
    let gemini = json!([
        { "role": "model", "parts": [{ "functionCall": { "name": "run", "args": {} } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "run", "response": { "error": "boom" } } }] },
    ]);
    for trajectory in [anthropic, items, gemini] {
        let digest = digest(&subject(&trajectory.to_string()));
        assert_eq!(kinds(&digest), [SignalKind::ToolError], "{trajectory}");
    }
    let text = digest(&subject("[{\"role\":\"assistant\",\"content\":\"just text\"}]"));
    assert!(text.signals.is_empty());
    assert_eq!(digest(&subject("[]")).steps.unwrap().total, 0);
}

#[test]
fn steps_are_numbered_as_in_the_replay() {
    let trajectory = json!([
        { "role": "user", "content": [{ "type": "text", "text": "one" }, { "type": "text", "text": "two" }] },
        { "type": "error", "message": "rate limited" },
        { "role": "tool", "content": "error: no" },
    ])
    .to_string();

    let digest = digest(&subject(&trajectory));

    let replay = steps(&trajectory);
    let steps = digest.steps.unwrap();
    assert_eq!(steps.total, replay.len());
    assert_eq!(steps.by_kind, [("user", 1), ("tool_result", 1), ("other", 1)]);
    assert!(steps.listed[1].failed && replay[1].failed);
    assert_eq!((steps.listed[2].step, steps.listed[2].message), (3, replay[2].message + 1));
    assert_eq!(digest.signals, [Signal { kind: SignalKind::ToolError, count: 1, step: Some(3) }]);
}

#[test]
fn exceptions_and_repeated_calls_are_seen_where_they_are() {
    let call = json!({ "role": "assistant", "tool_calls": [
        { "id": "1", "function": { "name": "read", "arguments": "{\"path\": \"a\"}" } }] });
    let thrown = "Traceback (most recent call last):\n  File \"a.py\"\nValueError: no";
    let trajectory = json!([
        call,
        { "role": "tool", "tool_call_id": "1", "content": thrown },
        call,
        { "role": "tool", "tool_call_id": "1", "content": "Errors were found: none. 3 lines" },
        { "role": "assistant", "content": "TypeError: is what a beginner would see" },
    ])
    .to_string();

    let digest = digest(&subject(&trajectory));

    assert_eq!(
        digest.signals,
        [
            Signal { kind: SignalKind::Exception, count: 1, step: Some(2) },
            Signal { kind: SignalKind::RepeatedCall, count: 1, step: Some(3) },
        ]
    );
}

#[test]
fn a_run_that_stopped_in_the_middle_is_interrupted_and_has_no_answer() {
    let trajectory = json!([{ "role": "assistant", "tool_calls": [
        { "id": "1", "function": { "name": "wait", "arguments": "{}" } }] }])
    .to_string();
    let stopped = digest(&Subject { answer: Some("  "), ..subject(&trajectory) });
    assert_eq!(kinds(&stopped), [SignalKind::EmptyAnswer, SignalKind::Interrupted]);

    let marked = json!({ "reflect": { "interrupted": "dropped" } });
    let marked = digest(&Subject { metadata: &marked, ..subject("[]") });
    assert_eq!(kinds(&marked), [SignalKind::Interrupted]);
}

#[test]
fn what_is_unlike_other_runs_is_said_when_enough_is_known_of_them() {
    let usual =
        TypicalRun { answer: Some(200.0), messages: Some(2.0), latency: Some(100.0), cost: Some(0.01) };
    let messages = vec![json!({ "role": "user", "content": "more" }); 7];
    let trajectory = Value::Array(messages).to_string();
    let metadata = json!({ "latency_ms": 301, "cost": 0.02 });
    let run = Subject { metadata: &metadata, degraded: true, usual, ..subject(&trajectory) };

    let expected =
        [SignalKind::ShortAnswer, SignalKind::ManyMessages, SignalKind::Slow, SignalKind::DegradedRetrieval];
    assert_eq!(kinds(&digest(&run)), expected);
    let long = "x".repeat(1001);
    let long = digest(&Subject { answer: Some(&long), usual, ..subject("[]") });
    assert_eq!(kinds(&long), [SignalKind::LongAnswer]);
    assert_eq!(
        kinds(&digest(&Subject { usual: TypicalRun::default(), ..run })),
        [SignalKind::DegradedRetrieval]
    );
}

#[test]
fn long_texts_and_long_runs_are_cut_and_say_so() {
    let answer = vec!["line"; 30].join("\n");
    let messages: Vec<Value> =
        (0..100).map(|number| json!({ "role": "user", "content": format!("message {number}") })).collect();
    let trajectory = Value::Array(messages).to_string();
    let task = "ä".repeat(2_000);

    let digest = digest(&Subject { task: &task, answer: Some(&answer), ..subject(&trajectory) });

    assert!(digest.answer.is_cut && digest.answer.text.lines().count() == 20);
    assert!(digest.task.is_cut && digest.task.text.chars().count() == 1_000);
    let steps = digest.steps.unwrap();
    assert_eq!((steps.total, steps.listed.len()), (100, 60));
    assert_eq!((steps.listed[29].step, steps.listed[30].step), (30, 71));
}

#[test]
fn a_trajectory_that_was_not_read_has_no_steps_and_is_not_called_quiet() {
    let digest = digest(&Subject { trajectory: None, ..subject("[]") });
    assert_eq!(digest.steps, None);
}

#[test]
fn a_memory_shows_what_either_verdict_does_to_it() {
    let id = MemoryId::generate();
    let standing = MemoryStanding { memory_id: id, reviews: 2, passes: 1, evidence: 2 };
    let memory = LinkedMemory {
        standing,
        summary: String::new(),
        reflection: "Check the\norder </memory>".to_owned(),
        q: 0.62,
        status: MemoryStatus::Active,
    };
    let linked = [id, MemoryId::generate(), id];

    let digest = digest(&Subject { linked: &linked, memories: &[memory], ..subject("[]") });

    assert_eq!(digest.memories.len(), 1);
    let effect = &digest.memories[0];
    assert_eq!(effect.summary, "Check the order ‹/memory>");
    assert!((effect.after_pass - 0.734).abs() < 1e-6 && (effect.after_fail - 0.434).abs() < 1e-6);
}

//! Fuzz targets: trajectories in any form, and any text that is stored as one.

use reflect_fuzz::{CaseSource, FuzzTarget};
use serde_json::value::RawValue;

use crate::{SentTrajectory, count_errors, marked_steps, memory_ids, messages, steps};

const WORDS: &[&str] = &[
    "role",
    "type",
    "content",
    "parts",
    "text",
    "user",
    "assistant",
    "system",
    "tool",
    "model",
    "function",
    "ai",
    "human",
    "constructor",
    "AIMessage",
    "ToolMessage",
    "kwargs",
    "data",
    "message",
    "id",
    "name",
    "tool_name",
    "tool_calls",
    "tool_call_id",
    "call_id",
    "function_call",
    "functionCall",
    "functionResponse",
    "toolUse",
    "toolResult",
    "tool_use",
    "tool_result",
    "web_search_call",
    "arguments",
    "args",
    "input",
    "output",
    "result",
    "response",
    "reasoning",
    "thinking",
    "reasoning_content",
    "summary",
    "image_url",
    "image",
    "source",
    "url",
    "media_type",
    "inlineData",
    "refusal",
    "error",
    "is_error",
    "status",
    "failed",
    "usage",
    "total_tokens",
    "tokens",
    "input_tokens",
    "output_tokens",
    "timestamp",
    "created_at",
    "ts",
    "latency_ms",
    "reflect_step",
    "task",
    "action",
    "retrieval_id",
    "<memory id=\"",
    "</memory>",
    "<relevant_memories>",
    "</relevant_memories>",
    "<memories>\n",
    "\n</memories>",
    "data:image/png;base64,AAAA",
    "{\"a\": 1}",
    "2026-01-01T00:00:00Z",
];
/// A part of the input may be shown as JSON again, and a tool is named by its call and by its results.
const MOST_GROWTH: usize = 6;

#[test]
fn no_trajectory_is_lost_or_grows() {
    FuzzTarget::new("trajectory").words(WORDS).run(generated, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        let (read, found) = (messages(text), steps(text));

        assert!(!read.is_empty() || text.trim_start().starts_with('['), "a text without a message");
        let mut shown: Vec<usize> = found.iter().map(|step| step.message).collect();
        assert!(shown.is_sorted(), "steps are not in the order of their messages");
        shown.dedup();
        assert_eq!(shown, (0..read.len()).collect::<Vec<_>>(), "a message without a step");
        assert!(count_errors(text) <= found.len());
        for step in &found {
            assert!(
                step.title.chars().count() <= 120 && !step.title.contains('\n'),
                "the title {:?}",
                step.title
            );
            // Clients read the time of a step as RFC 3339, which has four digits for a year.
            let year = step.at.map(|at| at.format("%Y").to_string());
            assert!(year.as_ref().is_none_or(|year| year.len() == 4), "the year {year:?}");
            assert!(step.duration_ms.is_none_or(f64::is_finite), "the duration {:?}", step.duration_ms);
        }
        let length = found.iter().map(|step| {
            let parts = step.parts.iter().map(|part| part.text.len()).sum::<usize>();
            parts + step.tool.as_ref().map_or(0, String::len) + step.call_id.as_ref().map_or(0, String::len)
        });
        let length: usize = length.sum();
        assert!(length <= MOST_GROWTH * text.len() + 100, "{} bytes become {length}", text.len());

        let (marked, named) = (marked_steps(text), memory_ids(text));
        assert!(marked.len() <= 50 && marked.iter().all(|step| !step.task.trim().is_empty()));
        let lower = text.to_lowercase();
        assert!(named.len() <= 100 && named.iter().all(|id| lower.contains(&id.to_string())), "{named:?}");
    });
}

#[test]
fn what_is_accepted_is_stored_and_read_again_as_it_is() {
    FuzzTarget::new("sent-trajectory").words(WORDS).run(
        |source| match source.once_in(4) {
            // As a text, which may itself be JSON.
            true => serde_json::Value::from(generated(source)).to_string(),
            false => generated(source),
        },
        |input| {
            let Ok(sent) = serde_json::from_slice::<&RawValue>(input) else { return };
            let Ok(kept) = SentTrajectory::from_wire(sent) else { return };

            let items: Vec<&RawValue> = serde_json::from_str(kept.json()).expect("an array");
            assert_eq!(items.len(), kept.messages());
            assert!(items.iter().all(|item| item.get().starts_with('{')), "a message that is no object");
            let raw: &RawValue = serde_json::from_str(kept.json()).expect("it has just been read");
            let again = SentTrajectory::from_wire(raw).expect("what is stored is a trajectory");
            assert_eq!(again, kept, "read again");
            assert!(kept.json().len() <= 2 * input.len() + 40 * (1 + kept.messages()), "it grew");
        },
    );
}

fn generated(source: &mut CaseSource<'_>) -> String {
    match source.below(12) {
        0 => source.text(20),
        1 => source.json(4),
        2 => {
            let object = message(source);
            let fragment = format!("{object},");
            let many = source.repeated(&fragment, 20_000);
            format!("[{}{{}}]", many.trim_start_matches(|c: char| c != '{'))
        }
        3 => message(source),
        _ => source.array(6, message),
    }
}

fn message(source: &mut CaseSource<'_>) -> String {
    let role =
        source.pick_text(&["user", "assistant", "tool", "system", "model", "human", "odd"]).to_string();
    let content = match source.below(4) {
        0 => source.json_string(),
        1 => source.array(4, block),
        2 => source.json(2),
        _ => format!("\"{} <memory id=\\\"{}\\\">x</memory>\"", source.pick_text(&["", "a"]), source.id()),
    };
    let calls = source.array(3, call);
    let mut fields = vec![("role", format!("\"{role}\"")), ("content", content)];
    if source.once_in(2) {
        fields.push(("tool_calls", calls));
    }
    if source.once_in(3) {
        fields.push(("tool_call_id", "\"c1\"".to_owned()));
    }
    if source.once_in(4) {
        fields.push((
            "timestamp",
            if source.once_in(2) { source.number() } else { format!("\"{}\"", source.time()) },
        ));
    }
    if source.once_in(6) {
        fields.push(("usage", source.json(2)));
    }
    if source.once_in(8) {
        let mark = [("task", "\"t\"".to_owned()), ("action", "\"a\"".to_owned())];
        fields.push(("reflect_step", source.object(&mark)));
    }
    let inner = source.object(&fields);
    match source.below(10) {
        0 => source.object(&[("data", inner), ("type", "\"ai\"".to_owned())]),
        1 => source.object(&[
            ("kwargs", inner),
            ("type", "\"constructor\"".to_owned()),
            ("id", "[\"langchain\",\"AIMessage\"]".to_owned()),
        ]),
        _ => inner,
    }
}

fn block(source: &mut CaseSource<'_>) -> String {
    let kind = source.word().to_owned();
    let text = source.json_string();
    let fields =
        [("type", format!("\"{kind}\"")), ("text", text), ("input", source.json(2)), ("id", "\"c1\"".into())];
    source.object(&fields)
}

fn call(source: &mut CaseSource<'_>) -> String {
    let name = source.json_string();
    let arguments = if source.once_in(2) { source.json_string() } else { source.json(2) };
    let function = source.object(&[("name", name), ("arguments", arguments)]);
    source.object(&[("id", "\"c1\"".to_owned()), ("type", "\"function\"".to_owned()), ("function", function)])
}

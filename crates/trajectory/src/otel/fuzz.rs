//! Fuzz target: spans and log records of any program, and the runs that are built from them.

use std::collections::HashSet;
use std::sync::Arc;

use reflect_fuzz::{CaseSource, FuzzTarget};
use serde::Deserialize;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use super::{OtelEvent, OtelSpan, RunPart, assemble, read_context, read_evaluation, read_event, read_span};
use crate::{SentTrajectory, steps};

const WORDS: &[&str] = &[
    "role",
    "parts",
    "type",
    "text",
    "content",
    "user",
    "assistant",
    "system",
    "tool",
    "tool_call",
    "tool_call_response",
    "tool_calls",
    "reasoning",
    "id",
    "name",
    "arguments",
    "response",
    "function",
    "c1",
    "weather",
    "<memories>\n",
    "\n</memories>",
    "message.role",
    "message.content",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.user.message",
    "gen_ai.choice",
];
/// Attributes with messages, calls and results.
const CONTENTS: &[&str] = &[
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.system_instructions",
    "gen_ai.prompt",
    "gen_ai.prompt.0.role",
    "gen_ai.prompt.0.content",
    "gen_ai.prompt.19999.content",
    "gen_ai.completion",
    "gen_ai.completion.0.content",
    "gen_ai.completion.0.tool_calls.0.name",
    "llm.input_messages.0.message.role",
    "llm.input_messages.0.message.content",
    "llm.input_messages.1.message.contents.0.message_content.text",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
    "llm.prompts",
    "llm.choices.0.completion.text",
    "ai.prompt",
    "ai.prompt.messages",
    "ai.response.text",
    "ai.response.toolCalls",
    "input.value",
    "output.value",
    "traceloop.entity.input",
    "traceloop.entity.output",
    "gen_ai.tool.name",
    "gen_ai.tool.call.id",
    "gen_ai.tool.call.arguments",
    "gen_ai.tool.call.result",
    "gen_ai.usage.input_tokens",
    "gen_ai.request.model",
    "gen_ai.conversation.id",
    "gen_ai.evaluation.score.value",
    "reflect.task",
];
const SPANS: &[&str] = &["00000000000000a1", "00000000000000b2", "00000000000000c3", "00000000000000d4", ""];
const EVENTS: &[&str] = &[
    "gen_ai.user.message",
    "gen_ai.assistant.message",
    "gen_ai.tool.message",
    "gen_ai.choice",
    "gen_ai.client.inference.operation.details",
    "gen_ai.evaluation.result",
    "exception",
];

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Sent {
    spans: Vec<SentSpan>,
    records: Vec<SentEvent>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentSpan {
    id: String,
    parent: Option<String>,
    name: String,
    start: u64,
    end: u64,
    error: Option<String>,
    attributes: Map<String, Value>,
    events: Vec<SentEvent>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SentEvent {
    span: String,
    name: String,
    at: u64,
    attributes: Map<String, Value>,
    body: Value,
}

impl SentSpan {
    fn decoded(self) -> OtelSpan {
        OtelSpan {
            span_id: self.id,
            parent_id: self.parent,
            name: self.name,
            start: self.start,
            end: self.end,
            error: self.error,
            resource: Arc::new(self.attributes.clone()),
            attributes: self.attributes,
            events: self.events.into_iter().map(SentEvent::decoded).collect(),
        }
    }
}

impl SentEvent {
    fn decoded(self) -> OtelEvent {
        OtelEvent {
            span_id: self.span,
            name: self.name,
            at: self.at,
            attributes: self.attributes,
            body: self.body,
        }
    }
}

#[test]
fn the_parts_of_a_run_give_the_same_trajectory_in_any_order() {
    FuzzTarget::new("otel-spans").words(WORDS).run(sent, |input| {
        let Ok(sent) = serde_json::from_slice::<Sent>(input) else { return };

        let parts = parts_of(sent);
        let stored: Vec<String> =
            parts.iter().map(|part| serde_json::to_string(part).expect("a part can be written")).collect();
        let read = |part: &String| serde_json::from_str::<RunPart>(part).expect("a part can be read");
        let run = assemble(parts);
        assert_eq!(assemble(stored.iter().map(read).collect()), run, "stored and read again");
        assert_eq!(assemble(stored.iter().rev().map(read).collect()), run, "in another order");

        let Some(run) = run else { return };
        assert!(!run.messages.is_empty() && !run.task.trim().is_empty(), "{run:?}");
        assert!(run.start <= run.end, "{} to {}", run.start, run.end);
        let messages = to_raw_value(&run.messages).expect("messages can be written");
        let kept = SentTrajectory::from_wire(&messages).expect("a run is a trajectory");
        assert_eq!(kept.messages(), run.messages.len());
        assert!(steps(kept.json()).len() >= run.messages.len(), "a message without a step");
    });
}

/// The parts as they are kept: a span without an id is refused, and one that arrives again is dropped.
fn parts_of(sent: Sent) -> Vec<RunPart> {
    let (mut parts, mut known) = (Vec::new(), HashSet::new());
    for span in sent.spans.into_iter().map(SentSpan::decoded) {
        let _ = span.events.iter().filter_map(read_evaluation).count();
        if !span.span_id.is_empty() && known.insert(span.span_id.clone()) {
            parts.extend(read_span(&span).or_else(|| read_context(&span)));
        }
    }
    for (place, record) in (0..).zip(sent.records) {
        let event = record.decoded();
        if read_evaluation(&event).is_none() {
            parts.extend(read_event(&event).map(|part| RunPart { place, ..part }));
        }
    }
    parts
}

fn sent(source: &mut CaseSource<'_>) -> String {
    if source.once_in(200) {
        // Each call of a model repeats the conversation.
        let fragment = format!("{},", span(source));
        let many = source.repeated(&fragment, 40_000);
        return format!("{{\"spans\":[{}{{}}]}}", many.trim_start_matches(|c: char| c != '{'));
    }
    let (spans, records) = (source.array(6, span), source.array(4, event));
    source.object(&[("spans", spans), ("records", records)])
}

fn span(source: &mut CaseSource<'_>) -> String {
    let (id, parent) = (source.pick_text(SPANS), source.pick_text(SPANS));
    let parent = if source.once_in(3) { "null".to_owned() } else { format!("\"{parent}\"") };
    let (name, error) = (source.json_string(), source.json_string());
    let (start, end) = (source.below(5).to_string(), source.below(5).to_string());
    let (attributes, events) = (attributes(source), source.array(2, event));
    let mut fields = vec![
        ("id", format!("\"{id}\"")),
        ("parent", parent),
        ("name", name),
        ("start", start),
        ("end", end),
        ("attributes", attributes),
        ("events", events),
    ];
    if source.once_in(6) {
        fields.push(("error", error));
    }
    source.object(&fields)
}

fn event(source: &mut CaseSource<'_>) -> String {
    let (span, name, at) = (source.pick_text(SPANS), source.pick_text(EVENTS), source.below(5));
    let (attributes, body) =
        (attributes(source), if source.once_in(2) { message(source) } else { source.json(2) });
    source.object(&[
        ("span", format!("\"{span}\"")),
        ("name", format!("\"{name}\"")),
        ("at", at.to_string()),
        ("attributes", attributes),
        ("body", body),
    ])
}

fn attributes(source: &mut CaseSource<'_>) -> String {
    let (name, kind) = match source.below(8) {
        0..=2 => {
            let kind = source.pick_text(&["chat", "execute_tool", "invoke_agent", "embeddings"]);
            ("gen_ai.operation.name", kind)
        }
        3 => ("openinference.span.kind", source.pick_text(&["LLM", "TOOL", "AGENT", "CHAIN", "EMBEDDING"])),
        4 => {
            let kind = source.pick_text(&["ai.generateText", "ai.generateText.doGenerate", "ai.toolCall"]);
            ("ai.operationId", kind)
        }
        5 => ("traceloop.span.kind", source.pick_text(&["tool", "workflow"])),
        6 => ("llm.request.type", "chat"),
        _ => ("session.id", "s"),
    };
    let mut fields = vec![(name, format!("\"{kind}\""))];
    for _ in 0..source.size(6) {
        let name = source.pick_text(CONTENTS);
        let value = match source.below(5) {
            0 => source.json_string(),
            1 => source.number(),
            2 => source.json(3),
            3 => source.array(4, message),
            // As text, which most programs send.
            _ => Value::from(source.array(4, message)).to_string(),
        };
        fields.push((name, value));
    }
    source.object(&fields)
}

fn message(source: &mut CaseSource<'_>) -> String {
    let role = source.pick_text(&["user", "assistant", "system", "tool", "odd"]);
    let parts = source.array(3, |source| {
        let (text, arguments) = (source.json_string(), source.json(1));
        let kind = source.pick_text(&["text", "tool_call", "tool_call_response", "reasoning", "blob"]);
        source.object(&[
            ("type", format!("\"{kind}\"")),
            ("content", text.clone()),
            ("id", "\"c1\"".to_owned()),
            ("name", "\"weather\"".to_owned()),
            ("arguments", arguments),
            ("response", text),
        ])
    });
    let content = source.json_string();
    source.object(&[("role", format!("\"{role}\"")), ("parts", parts), ("content", content)])
}

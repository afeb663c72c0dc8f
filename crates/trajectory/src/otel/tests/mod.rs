//! One run as real programs send it, by convention.

mod rules;

use serde_json::{Map, Value, json};

use super::*;
use crate::step::TrajectoryStep;
use crate::{MAX_MESSAGES, StepKind, steps};
use StepKind::*;

fn attributes(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("not an object: {other}"),
    }
}

/// A span with times in seconds. A JSON value in an attribute that programs send as text becomes text.
fn span(id: &str, parent: &str, name: &str, times: (u64, u64), given: Value) -> OtelSpan {
    let as_text = |(name, value): (String, Value)| {
        let value =
            if value.is_array() || value.is_object() { Value::String(value.to_string()) } else { value };
        (name, value)
    };
    OtelSpan {
        span_id: id.to_owned(),
        parent_id: Some(parent.to_owned()).filter(|parent| !parent.is_empty()),
        name: name.to_owned(),
        start: times.0 * 1_000_000_000,
        end: times.1 * 1_000_000_000,
        attributes: attributes(given).into_iter().map(as_text).collect(),
        ..OtelSpan::default()
    }
}

fn run_of(spans: &[OtelSpan]) -> AssembledRun {
    assemble(spans.iter().filter_map(read_span).collect()).unwrap()
}

fn steps_of(run: &AssembledRun) -> Vec<TrajectoryStep> {
    steps(&serde_json::to_string(&run.messages).unwrap())
}

/// What matters of a step: its kind, its tool, the call it belongs to, and its text.
fn shown(run: &AssembledRun) -> Vec<(StepKind, String, String, String)> {
    let of = |step: TrajectoryStep| {
        let text = step.text().into_owned();
        (step.kind, step.tool.unwrap_or_default(), step.call_id.unwrap_or_default(), text)
    };
    steps_of(run).into_iter().map(of).collect()
}

/// The run that all conventions below describe.
fn weather_run() -> Vec<(StepKind, String, String, String)> {
    let step = |kind, tool: &str, call: &str, text: &str| (kind, tool.into(), call.into(), text.into());
    vec![
        step(System, "", "", "Be brief."),
        step(User, "", "", "How warm is it in Oslo?"),
        step(ToolCall, "weather", "c1", r#"{"city":"Oslo"}"#),
        step(ToolResult, "weather", "c1", "12 degrees"),
        step(Assistant, "", "", "It is 12 degrees."),
    ]
}

fn genai() -> Vec<OtelSpan> {
    let system = json!([{ "type": "text", "content": "Be brief." }]);
    let asked =
        json!({ "role": "user", "parts": [{ "type": "text", "content": "How warm is it in Oslo?" }] });
    let call = json!({ "role": "assistant", "parts": [
        { "type": "tool_call", "id": "c1", "name": "weather", "arguments": { "city": "Oslo" } }] });
    let mut called = call.clone();
    called["finish_reason"] = "tool_call".into();
    let result = json!({ "role": "tool", "parts": [{ "type": "tool_call_response", "id": "c1", "response": "12 degrees" }] });
    let answer = json!({ "role": "assistant", "finish_reason": "stop",
                         "parts": [{ "type": "text", "content": "It is 12 degrees." }] });
    vec![
        span(
            "a",
            "",
            "invoke_agent m",
            (0, 9),
            json!({
            "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "meteorologist",
            "gen_ai.conversation.id": "conv-1", "gen_ai.input.messages": [asked], "gen_ai.output.messages": [answer] }),
        ),
        span(
            "b",
            "a",
            "chat m",
            (1, 2),
            json!({
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.response.model": "m-2026",
            "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2,
            "gen_ai.system_instructions": system, "gen_ai.input.messages": [asked], "gen_ai.output.messages": [called] }),
        ),
        span(
            "c",
            "a",
            "execute_tool weather",
            (3, 4),
            json!({
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": { "city": "Oslo" }, "gen_ai.tool.call.result": "\"12 degrees\"" }),
        ),
        span(
            "d",
            "a",
            "chat m",
            (5, 6),
            json!({
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.response.model": "m-2026",
            "gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 4,
            "gen_ai.system_instructions": system,
            "gen_ai.input.messages": [asked, call, result], "gen_ai.output.messages": [answer] }),
        ),
    ]
}

#[test]
fn genai_spans_are_one_run() {
    let run = run_of(&genai());
    assert_eq!(shown(&run), weather_run());
    assert_eq!((run.task.as_str(), run.model.as_deref()), ("How warm is it in Oslo?", Some("m-2026")));
    assert_eq!(run.usage, Some(TokenUsage { input_tokens: 14, output_tokens: 6 }));
    let context = (run.context.agent.as_deref(), run.context.conversation.as_deref());
    assert_eq!(context, (Some("meteorologist"), Some("conv-1")));
    let steps = steps_of(&run);
    assert_eq!((steps[3].duration_ms, steps[4].tokens), (Some(1000.0), Some(13)));
    assert_eq!(steps[4].at.unwrap().timestamp(), 6);
    assert_eq!(run.error, None);
}

#[test]
fn structured_messages_are_the_same_run() {
    let mut spans = genai();
    for span in &mut spans {
        for value in span.attributes.values_mut() {
            let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
            if let Some(parsed) = parsed {
                *value = parsed;
            }
        }
    }
    assert_eq!(run_of(&spans).messages, run_of(&genai()).messages);
}

#[test]
fn only_the_agent_or_only_its_steps_are_enough() {
    let spans = genai();
    let kinds: Vec<StepKind> = shown(&run_of(&spans[..1])).into_iter().map(|step| step.0).collect();
    assert_eq!(kinds, [User, Assistant]);
    assert_eq!(shown(&run_of(&spans[1..])), weather_run());
    let tool_alone = run_of(&spans[2..3]);
    let kinds: Vec<StepKind> = shown(&tool_alone).into_iter().map(|step| step.0).collect();
    assert_eq!((kinds, tool_alone.task.as_str()), (vec![ToolCall, ToolResult], "execute_tool weather"));
}

#[test]
fn openinference_spans_are_the_same_run() {
    let asked = json!({
        "openinference.span.kind": "LLM", "llm.model_name": "m-2026", "llm.token_count.prompt": 5,
        "llm.token_count.completion": 2,
        "llm.input_messages.0.message.role": "system", "llm.input_messages.0.message.content": "Be brief.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.contents.0.message_content.type": "text",
        "llm.input_messages.1.message.contents.0.message_content.text": "How warm is it in Oslo?" });
    let mut first = attributes(asked.clone());
    let mut second = attributes(asked);
    for (list, fields) in [("llm.output_messages.0", &mut first), ("llm.input_messages.2", &mut second)] {
        for (name, value) in [
            ("role", "assistant"),
            ("tool_calls.0.tool_call.id", "c1"),
            ("tool_calls.0.tool_call.function.name", "weather"),
            ("tool_calls.0.tool_call.function.arguments", r#"{"city":"Oslo"}"#),
        ] {
            fields.insert(format!("{list}.message.{name}"), value.into());
        }
    }
    for (name, value) in [
        ("llm.input_messages.3.message.role", "tool"),
        ("llm.input_messages.3.message.tool_call_id", "c1"),
        ("llm.input_messages.3.message.content", "12 degrees"),
        ("llm.output_messages.0.message.role", "assistant"),
        ("llm.output_messages.0.message.content", "It is 12 degrees."),
    ] {
        second.insert(name.to_owned(), value.into());
    }
    // The client of the provider reports the same call inside that of the framework.
    let inner = Value::Object(second.clone());
    let spans = [
        span(
            "a",
            "",
            "LangGraph",
            (0, 9),
            json!({ "openinference.span.kind": "CHAIN", "session.id": "s-1",
            "input.value": { "messages": [["user", "How warm is it in Oslo?"]] }, "output.value": "It is 12 degrees." }),
        ),
        span("b", "a", "ChatOpenAI", (1, 2), Value::Object(first)),
        span(
            "c",
            "a",
            "weather",
            (3, 4),
            json!({ "openinference.span.kind": "TOOL", "tool.name": "weather",
            "input.value": "{'city': 'Oslo'}",
            "output.value": { "type": "tool", "data": { "content": "12 degrees", "tool_call_id": "c1" } } }),
        ),
        span("d", "a", "ChatOpenAI", (5, 8), Value::Object(second)),
        span("e", "d", "ChatCompletion", (6, 7), inner),
    ];
    let run = run_of(&spans);
    assert_eq!(shown(&run), weather_run());
    assert_eq!((run.context.session.as_deref(), run.model.as_deref()), (Some("s-1"), Some("m-2026")));
}

#[test]
fn flat_attributes_of_earlier_years_are_the_same_run() {
    let asked = json!({
        "llm.request.type": "chat", "gen_ai.request.model": "m",
        "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.",
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": [{ "type": "text", "text": "How warm is it in Oslo?" }] });
    let mut first = attributes(asked.clone());
    let mut second = attributes(asked);
    for (list, fields) in [("gen_ai.completion.0", &mut first), ("gen_ai.prompt.2", &mut second)] {
        for (name, value) in [
            ("role", "assistant"),
            ("tool_calls.0.id", "c1"),
            ("tool_calls.0.name", "weather"),
            ("tool_calls.0.arguments", r#"{"city":"Oslo"}"#),
        ] {
            fields.insert(format!("{list}.{name}"), value.into());
        }
    }
    first.insert("gen_ai.completion.0.finish_reason".to_owned(), "tool_calls".into());
    for (name, value) in [
        ("gen_ai.prompt.3.role", "tool"),
        ("gen_ai.prompt.3.tool_call_id", "c1"),
        ("gen_ai.prompt.3.content", "12 degrees"),
        ("gen_ai.completion.0.role", "assistant"),
        ("gen_ai.completion.0.content", "It is 12 degrees."),
    ] {
        second.insert(name.to_owned(), value.into());
    }
    let spans = [
        span("a", "", "agent.workflow", (0, 9), json!({ "traceloop.span.kind": "workflow" })),
        span("b", "a", "openai.chat", (1, 2), Value::Object(first)),
        span("d", "a", "openai.chat", (5, 6), Value::Object(second)),
    ];
    assert_eq!(shown(&run_of(&spans)), weather_run());
}

#[test]
fn ai_sdk_spans_are_the_same_run() {
    let asked = json!([
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": [{ "type": "text", "text": "How warm is it in Oslo?" }] }]);
    let mut again = asked.as_array().unwrap().clone();
    again.push(json!({ "role": "assistant", "content": [
        { "type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": { "city": "Oslo" } }] }));
    again.push(json!({ "role": "tool", "content": [
        { "type": "tool-result", "toolCallId": "c1", "toolName": "weather",
          "output": { "type": "text", "value": "12 degrees" } }] }));
    let spans = [
        span(
            "a",
            "",
            "ai.generateText",
            (0, 9),
            json!({
            "ai.operationId": "ai.generateText", "ai.prompt": { "system": "Be brief.", "prompt": "How warm is it in Oslo?" },
            "ai.response.text": "It is 12 degrees." }),
        ),
        span(
            "b",
            "a",
            "ai.generateText.doGenerate",
            (1, 4),
            json!({
            "ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.response.model": "m-2026",
            "gen_ai.system": "scripted", "ai.prompt.messages": asked,
            "ai.response.toolCalls": [{ "toolCallId": "c1", "toolName": "weather", "input": { "city": "Oslo" } }],
            "ai.usage.inputTokens": 5 }),
        ),
        // A tool may run before the stream of the model has ended.
        span(
            "c",
            "b",
            "ai.toolCall",
            (2, 3),
            json!({
            "ai.operationId": "ai.toolCall", "ai.toolCall.name": "weather", "ai.toolCall.id": "c1",
            "ai.toolCall.args": { "city": "Oslo" }, "ai.toolCall.result": "\"12 degrees\"" }),
        ),
        span(
            "d",
            "a",
            "ai.generateText.doGenerate",
            (5, 6),
            json!({
            "ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.response.model": "m-2026",
            "ai.prompt.messages": again, "ai.response.text": "It is 12 degrees." }),
        ),
    ];
    let run = run_of(&spans);
    assert_eq!(shown(&run), weather_run());
    assert_eq!(shown(&run_of(&spans[..1])).len(), 3, "the agent alone has the question and the answer");
}

#[test]
fn messages_in_events_are_the_same_run() {
    let event = |span: &str, name: &str, at: u64, body: Value| OtelEvent {
        span_id: span.to_owned(),
        name: name.to_owned(),
        at: at * 1_000_000_000,
        body,
        ..OtelEvent::default()
    };
    let call = json!([{ "id": "c1", "type": "function", "function": { "name": "weather", "arguments": "{\"city\":\"Oslo\"}" } }]);
    let asked = |span: &str, at: u64| {
        vec![
            event(span, "gen_ai.system.message", at, json!({ "content": "Be brief." })),
            event(span, "gen_ai.user.message", at, json!({ "content": "How warm is it in Oslo?" })),
        ]
    };
    let mut events = asked("b", 1);
    events.push(event("b", "gen_ai.choice", 2, json!({ "index": 0, "message": { "tool_calls": call } })));
    events.extend(asked("d", 5));
    events.push(event("d", "gen_ai.assistant.message", 5, json!({ "tool_calls": call })));
    events.push(event("d", "gen_ai.tool.message", 5, json!({ "id": "c1", "content": "12 degrees" })));
    events.push(event(
        "d",
        "gen_ai.choice",
        6,
        json!({ "index": 0, "message": { "content": "It is 12 degrees." } }),
    ));
    let chat = json!({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" });
    let mut spans = [span("b", "a", "chat m", (1, 2), chat.clone()), span("d", "a", "chat m", (5, 6), chat)];

    let mut parts: Vec<RunPart> = spans.iter().filter_map(read_span).collect();
    parts.extend(events.iter().filter_map(read_event));
    assert_eq!(shown(&assemble(parts).unwrap()), weather_run());

    // Events of the spans themselves have their fields as attributes.
    for span in &mut spans {
        let own = events.iter().filter(|event| event.span_id == span.span_id).cloned();
        let own = own.map(|event| OtelEvent {
            attributes: attributes(event.body.clone()),
            body: Value::Null,
            ..event
        });
        span.events = own.collect();
    }
    assert_eq!(shown(&run_of(&spans)), weather_run());

    // The logs may arrive without the spans.
    let only_events = events.iter().filter_map(read_event).collect();
    assert_eq!(shown(&assemble(only_events).unwrap()), weather_run());
}

#[test]
fn the_details_of_an_inference_are_read_from_a_log_record() {
    let asked = json!([{ "role": "user", "parts": [{ "type": "text", "content": "Hi" }] }]);
    let event = OtelEvent {
        span_id: "b".to_owned(),
        name: "gen_ai.client.inference.operation.details".to_owned(),
        attributes: attributes(json!({
            "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": asked,
            "gen_ai.output.messages": [{ "role": "assistant", "parts": [{ "type": "text", "content": "Hello" }] }] })),
        ..OtelEvent::default()
    };
    let run = assemble(vec![read_event(&event).unwrap()]).unwrap();
    assert_eq!((run.task.as_str(), run.messages.len(), run.model.as_deref()), ("Hi", 2, Some("m")));
}

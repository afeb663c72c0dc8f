//! A sample of every form in which runs arrive, and what must hold for any other.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::message::MAX_PARSED_VALUES;
use StepKind::*;

fn read(messages: &Value) -> Vec<TrajectoryStep> {
    steps(&messages.to_string())
}

fn kinds(steps: &[TrajectoryStep]) -> Vec<StepKind> {
    steps.iter().map(|step| step.kind).collect()
}

fn texts(step: &TrajectoryStep) -> Vec<&str> {
    step.parts.iter().filter(|part| part.label.is_none()).map(|part| part.text.as_str()).collect()
}

#[test]
fn plain_text_and_json_text_as_they_are_stored() {
    for sent in [json!("it went well"), json!("[{\"role\": \"assistant\", \"content\": \"it went well\"}]")] {
        let raw = serde_json::value::to_raw_value(&sent).unwrap();
        let stored = SentTrajectory::from_wire(&raw).unwrap();
        let steps = steps(stored.json());
        assert_eq!(kinds(&steps), [Assistant], "{sent}");
        assert_eq!(texts(&steps[0]), ["it went well"]);
    }
    assert_eq!(texts(&steps("not even JSON")[0]), ["not even JSON"]);
}

#[test]
fn roles_and_contents() {
    let steps = read(&json!([
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": "Hi", "timestamp": "2026-11-15T10:00:00Z" },
        { "role": "assistant", "content": "Hello", "duration_ms": 420, "usage": { "prompt_tokens": 7, "completion_tokens": 2 } },
        { "role": "narrator", "content": "Then it rained." },
    ]));
    assert_eq!(kinds(&steps), [System, User, Assistant, Note]);
    assert_eq!(steps[1].at.unwrap().to_rfc3339(), "2026-11-15T10:00:00+00:00");
    assert_eq!((steps[2].duration_ms, steps[2].tokens), (Some(420.0), Some(9)));
    assert!(steps[3].parts.iter().any(|part| part.text.contains("narrator")), "an unknown role is shown");
    assert_eq!(steps[1].title, "Hi");
}

#[test]
fn openai_chat_with_tool_calls() {
    let steps = read(&json!([
        { "role": "assistant", "content": null, "reasoning_content": "look it up", "tool_calls": [
            { "id": "c1", "type": "function", "function": { "name": "search", "arguments": "{\"q\": \"x\"}" } },
            { "id": "c2", "type": "function", "function": { "name": "read", "arguments": "{}" } } ] },
        { "role": "tool", "tool_call_id": "c1", "content": "found" },
        { "role": "tool", "tool_call_id": "c2", "content": [{ "type": "text", "text": "no such file" }], "is_error": true },
        { "role": "user", "content": [
            { "type": "text", "text": "and this?" },
            { "type": "image_url", "image_url": { "url": "data:image/png;base64,AAAA" } } ] },
    ]));
    assert_eq!(kinds(&steps), [Reasoning, ToolCall, ToolCall, ToolResult, ToolResult, User]);
    assert_eq!(steps[1].parts[0].form, PartForm::Json);
    assert_eq!((steps[3].tool.as_deref(), steps[3].failed), (Some("search"), false));
    assert_eq!((steps[4].tool.as_deref(), steps[4].failed), (Some("read"), true));
    assert_eq!(steps[4].title, "read");
    let picture = &steps[5].parts[1];
    assert_eq!((picture.form, picture.media_type.as_deref()), (PartForm::Media, Some("image/png")));
    assert_eq!(steps[0].message, steps[2].message);
}

#[test]
fn responses_items() {
    let steps = read(&json!([
        { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Weather?" }] },
        { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "ask the tool" }] },
        { "type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{\"city\":\"Oslo\"}", "status": "completed" },
        { "type": "function_call_output", "call_id": "c1", "output": "12 degrees" },
        { "type": "web_search_call", "id": "ws_1", "action": { "query": "oslo" } },
        { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "12", "annotations": [] }] },
        { "type": "error", "message": "rate limited" },
    ]));
    assert_eq!(kinds(&steps), [User, Reasoning, ToolCall, ToolResult, ToolCall, Assistant, Error]);
    assert_eq!(texts(&steps[1]), ["ask the tool"]);
    assert_eq!(steps[3].tool.as_deref(), Some("weather"));
    assert_eq!(steps[4].tool.as_deref(), Some("web_search"));
    assert!(steps[6].failed && texts(&steps[6]) == ["rate limited"]);
}

#[test]
fn anthropic_blocks() {
    let steps = read(&json!([
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "sig-1" },
            { "type": "text", "text": "I will look." },
            { "type": "tool_use", "id": "t1", "name": "lookup", "input": { "id": 7 } },
            { "type": "text", "text": "One moment." } ], "stop_reason": "tool_use" },
        { "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [{ "type": "text", "text": "gone" }] },
            { "type": "image", "source": { "type": "base64", "media_type": "image/jpeg", "data": "BBBB" } } ] },
    ]));
    assert_eq!(kinds(&steps), [Reasoning, Assistant, ToolCall, Assistant, ToolResult, User]);
    assert!(steps[0].parts.iter().any(|part| part.text.contains("sig-1")));
    assert_eq!(steps[4].tool.as_deref(), Some("lookup"));
    assert!(steps[4].failed);
    assert_eq!(steps[5].parts[0].text, "data:image/jpeg;base64,BBBB");
}

#[test]
fn langchain_messages() {
    let class = |name: &str| json!(["langchain", "schema", "messages", name]);
    let steps = read(&json!([
        { "type": "human", "data": { "content": "Hi", "type": "human", "additional_kwargs": {} } },
        { "lc": 1, "type": "constructor", "id": class("AIMessage"), "kwargs": {
            "content": "", "tool_calls": [{ "name": "add", "args": { "a": 1 }, "id": "k1", "type": "tool_call" }],
            "usage_metadata": { "input_tokens": 5, "output_tokens": 3, "total_tokens": 8 } } },
        { "lc": 1, "type": "constructor", "id": class("ToolMessage"),
          "kwargs": { "content": "2", "tool_call_id": "k1", "status": "error" } },
        { "type": "ai", "content": "Two." },
    ]));
    assert_eq!(kinds(&steps), [User, ToolCall, ToolResult, Assistant]);
    assert_eq!((steps[1].tool.as_deref(), steps[1].tokens), (Some("add"), Some(8)));
    assert_eq!((steps[2].tool.as_deref(), steps[2].failed), (Some("add"), true));
}

#[test]
fn bedrock_blocks() {
    let steps = read(&json!([
        { "role": "assistant", "content": [{ "toolUse": { "toolUseId": "b", "name": "bed", "input": {} } }] },
        { "role": "user", "content": [
            { "toolResult": { "toolUseId": "b", "content": [{ "text": "no bed" }], "status": "error" } } ] },
    ]));
    assert_eq!(kinds(&steps), [ToolCall, ToolResult]);
    assert_eq!((texts(&steps[1]), steps[1].failed), (vec!["no bed"], true));
    assert_eq!(steps[1].tool.as_deref(), Some("bed"));
}

#[test]
fn a_step_has_one_text() {
    let steps = read(&json!([
        { "role": "user", "content": [
            { "type": "text", "text": "one" }, { "type": "image_url", "image_url": { "url": "data:x" } } ] },
        { "type": "web_search_call", "action": { "query": "oslo" } },
        { "role": "tool", "content": null, "error": "boom" },
        { "role": "assistant", "content": null },
    ]));
    let texts: Vec<_> = steps.iter().map(|step| step.text().into_owned()).collect();
    assert_eq!(texts[0], "one\n(image_url)");
    assert!(texts[1].contains(r#""query":"oslo""#), "{}", texts[1]);
    assert_eq!((texts[2].as_str(), steps[2].failed), (r#"{"error":"boom"}"#, true));
    assert_eq!(texts[3], "");
}

#[test]
fn gemini_parts() {
    let steps = read(&json!([
        { "role": "user", "parts": [{ "text": "Weather?" }] },
        { "role": "model", "parts": [{ "functionCall": { "name": "weather", "args": { "city": "Oslo" } } }] },
        { "role": "user", "parts": [{ "functionResponse": { "name": "weather", "response": { "t": 12 } } }] },
        { "role": "model", "parts": [{ "text": "12" }] },
    ]));
    assert_eq!(kinds(&steps), [User, ToolCall, ToolResult, Assistant]);
}

#[test]
fn parts_of_opentelemetry() {
    let steps = read(&json!([
        { "role": "system", "parts": [{ "type": "text", "content": "Be brief." }] },
        { "role": "user", "parts": [
            { "type": "text", "content": "Weather?" },
            { "type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA" },
            { "type": "uri", "modality": "image", "mime_type": null, "uri": "https://a.example/b.png" } ] },
        { "role": "assistant", "finish_reason": "tool_call", "parts": [
            { "type": "reasoning", "content": "look it up" },
            { "type": "tool_call", "id": "c1", "name": "weather", "arguments": { "city": "Oslo" } },
            { "type": "tool_call", "id": "c2", "name": "weather", "arguments": { "city": "Rome" } } ] },
        { "role": "tool", "parts": [
            { "type": "tool_call_response", "id": "c1", "response": "12 degrees" },
            { "type": "tool_call_response", "id": "c2", "result": { "t": 20 } } ] },
    ]));
    assert_eq!(kinds(&steps), [System, User, Reasoning, ToolCall, ToolCall, ToolResult, ToolResult]);
    assert_eq!(steps[1].parts[1].text, "data:image/png;base64,AAAA");
    assert_eq!(steps[1].parts[2].text, "https://a.example/b.png");
    assert_eq!(steps[3].arguments(), Some(r#"{"city":"Oslo"}"#));
    assert_eq!((texts(&steps[5]), steps[5].tool.as_deref()), (vec!["12 degrees"], Some("weather")));
    assert_eq!((texts(&steps[6]), steps[6].call_id.as_deref()), (vec![r#"{"t":20}"#], Some("c2")));
}

#[test]
fn ai_sdk_blocks() {
    let steps = read(&json!([
        { "role": "assistant", "content": [
            { "type": "text", "text": "I will look." },
            { "type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": { "city": "Oslo" } },
            { "type": "tool-call", "toolCallId": "c2", "toolName": "weather", "args": {} } ] },
        { "role": "tool", "content": [
            { "type": "tool-result", "toolCallId": "c1", "toolName": "weather",
              "output": { "type": "text", "value": "12 degrees" } },
            { "type": "tool-result", "toolCallId": "c2", "toolName": "weather",
              "output": { "type": "error-text", "value": "no city" } } ] },
    ]));
    assert_eq!(kinds(&steps), [Assistant, ToolCall, ToolCall, ToolResult, ToolResult]);
    assert_eq!((steps[1].call_id.as_deref(), steps[1].tool.as_deref()), (Some("c1"), Some("weather")));
    assert_eq!((texts(&steps[3]), steps[3].failed), (vec!["12 degrees"], false));
    assert_eq!((texts(&steps[4]), steps[4].failed), (vec!["no city"], true));
}

#[test]
fn pasted_memories_are_a_step_of_their_own() {
    let block = "<relevant_memories>\n<memory id=\"m1\" utility=\"0.50\">\n<reflection>x</reflection>\n</memory>\n</relevant_memories>";
    let steps = read(&json!([{ "role": "user", "content": format!("Refund 1182\n\n{block}\nNow.") },
                             { "role": "user", "content": "a <memory of mine" }]));
    assert_eq!(kinds(&steps), [User, Memory, User, User]);
    assert_eq!(texts(&steps[1]), [block]);
    assert_eq!(steps[0].title, "Refund 1182");
    assert_eq!((steps[2].message, steps[3].message), (0, 1));
}

#[test]
fn a_block_without_ids_is_a_step_of_its_own_too() {
    let block = "<memories>\nLessons from earlier runs.\n\n## Refund an order\nLook it up.\nFrom a failed run.\n</memories>";
    let steps = read(&json!([{ "role": "system", "content": format!("Be brief.\n\n{block}") },
                             { "role": "user", "content": "the tags <memories> and </memories>" }]));
    assert_eq!(kinds(&steps), [System, Memory, User]);
    assert_eq!(texts(&steps[1]), [block]);
}

#[test]
fn what_nobody_knows_is_shown_as_it_is() {
    let steps = read(&json!([{ "span": { "name": "llm.call", "attributes": { "k": "v" } } }, 42]));
    assert_eq!(kinds(&steps), [Note, Note]);
    assert!(steps[0].parts[0].text.contains("llm.call"));
    assert_eq!(steps[1].parts[0].text, "42");
}

#[test]
fn marked_steps_are_found_in_every_form_of_message() {
    let mark = json!({ "task": "no signal", "action": "restart", "retrieval_id": "r1" });
    let class = json!(["langchain", "schema", "messages", "AIMessage"]);
    for message in [
        json!({ "role": "assistant", "content": "ok", "reflect_step": mark }),
        json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "c" }], "reflect_step": mark }),
        json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}", "reflect_step": mark }),
        json!({ "role": "model", "parts": [{ "text": "ok" }], "reflect_step": mark }),
        json!({ "type": "ai", "data": { "content": "ok", "reflect_step": mark } }),
        json!({ "type": "ai", "data": { "content": "ok" }, "reflect_step": mark }),
        json!({ "lc": 1, "type": "constructor", "id": class, "kwargs": { "content": "ok", "reflect_step": mark } }),
    ] {
        let found = marked_steps(&json!([{ "role": "user", "content": "Help" }, message]).to_string());
        let expected = MarkedStep {
            task: "no signal".to_owned(),
            action: "restart".to_owned(),
            retrieval_id: Some("r1".to_owned()),
        };
        assert_eq!(found, [expected], "{message}");
    }
}

#[test]
fn a_mark_needs_a_task_and_its_action_may_be_empty() {
    let marked = |mark: Value| marked_steps(&json!([{ "content": "x", "reflect_step": mark }]).to_string());
    assert_eq!(marked(json!({ "task": "at the end" }))[0].action, "");
    for garbage in
        [json!({ "task": " ", "action": "a" }), json!({ "task": 7 }), json!({}), json!("task"), json!(null)]
    {
        assert_eq!(marked(garbage.clone()), [], "{garbage}");
    }
    assert_eq!(marked_steps("the word reflect_step in a text"), []);
    assert_eq!(marked_steps(r#"["reflect_step", 7, {"content": "reflect_step"}]"#), []);
}

#[test]
fn at_most_50_marked_steps_are_read() {
    let messages: Vec<Value> = (0..60)
        .map(|step| json!({ "content": "x", "reflect_step": { "task": format!("{step}"), "action": "a" } }))
        .collect();
    let found = marked_steps(&Value::Array(messages).to_string());
    assert_eq!((found.len(), found[49].task.as_str()), (50, "49"));
}

/// Words that frameworks use, so that made-up messages come near to real ones.
fn name() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "role",
        "type",
        "content",
        "parts",
        "text",
        "tool_calls",
        "function_call",
        "function",
        "name",
        "arguments",
        "args",
        "input",
        "output",
        "id",
        "call_id",
        "tool_call_id",
        "tool_use_id",
        "kwargs",
        "data",
        "message",
        "thinking",
        "reasoning",
        "reasoning_content",
        "summary",
        "error",
        "status",
        "is_error",
        "source",
        "media_type",
        "image_url",
        "url",
        "functionCall",
        "functionResponse",
        "response",
        "toolUse",
        "result",
        "inlineData",
        "refusal",
        "usage",
        "reflect_step",
        "task",
        "toolCallId",
        "toolName",
        "modality",
        "mime_type",
        "uri",
        "value",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => "[a-z]{1,6}"]
}

/// A mark that must come out again, or a word that means something.
fn leaf() -> impl Strategy<Value = Value> {
    let known = prop::sample::select(vec![
        "user",
        "assistant",
        "system",
        "tool",
        "ai",
        "human",
        "text",
        "thinking",
        "tool_use",
        "tool_result",
        "image",
        "function_call",
        "function_call_output",
        "constructor",
        "message",
        "reasoning",
        "web_search_call",
        "image_url",
        "base64",
        "error",
        "tool_call",
        "tool_call_response",
        "tool-result",
        "error-text",
        "json",
        "blob",
        "uri",
        "<memory ",
        "</memory>",
    ]);
    prop_oneof![
        3 => "[0-9]{1,3}".prop_map(|number| json!(format!("mark{number}x"))),
        3 => known.prop_map(|word| json!(word)),
        1 => any::<i32>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(|truth| json!(truth)),
        1 => Just(Value::Null),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((name(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn marks(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.starts_with("mark") => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| marks(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| marks(field, found)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_lost_whatever_its_form(messages in prop::collection::vec(value(), 0..4)) {
        let messages = Value::Array(messages);
        let steps = read(&messages);
        let mut expected = Vec::new();
        marks(&messages, &mut expected);
        let mut shown = String::new();
        for step in &steps {
            for text in step.parts.iter().map(|part| &part.text).chain(&step.call_id).chain(&step.tool) {
                shown.push_str(text);
                shown.push('\n');
            }
        }
        for mark in expected {
            prop_assert!(shown.contains(&mark), "{mark} of {messages} is not in {steps:?}");
        }
    }

    #[test]
    fn any_text_can_be_read(text in ".{0,300}") {
        let steps = steps(&text);
        prop_assert!(marked_steps(&text).len() <= 50);
        prop_assert!(!steps.is_empty() || serde_json::from_str::<Vec<Value>>(&text).is_ok_and(|all| all.is_empty()));
    }
}

#[test]
fn messages_beyond_the_cost_that_is_parsed_are_texts() {
    let costly = format!(r#"{{"role":"user","content":[[]{}]}}"#, ",[]".repeat(MAX_PARSED_VALUES / 2));
    let read = messages(&format!(r#"[{{"role":"user"}},{costly},{{"role":"tool"}}]"#));
    assert!(read[0].is_object());
    assert_eq!(read[1], Value::String(costly));
    assert!(read[2].is_string());
}

#[test]
fn a_long_name_of_a_tool_is_not_copied_into_its_results() {
    let name = "n".repeat(100_000);
    let result = r#"{"role":"tool","tool_call_id":"c","content":"x"}"#;
    let call =
        format!(r#"{{"role":"assistant","tool_calls":[{{"id":"c","function":{{"name":"{name}"}}}}]}}"#);

    let read = steps(&format!("[{call},{result},{result}]"));

    let tools: Vec<Option<usize>> = read.iter().map(|step| step.tool.as_ref().map(String::len)).collect();
    assert_eq!(tools, [Some(100_000), None, None]);
}

#[test]
fn a_title_is_one_line_and_a_time_has_a_year_of_four_digits() {
    let run = r#"[{"role":"tool","name":"\nlook\nup","timestamp":999999999999999},
                  {"role":"tool","name":"x","timestamp":253402300799999},
                  {"role":"tool","name":"y","timestamp":"9999-12-31T23:59:59-01:00"}]"#;

    let read = steps(run);

    assert_eq!(read.iter().map(|step| step.title.as_str()).collect::<Vec<_>>(), ["look", "x", "y"]);
    let years: Vec<Option<String>> =
        read.iter().map(|step| Some(step.at?.format("%Y").to_string())).collect();
    assert_eq!(years, [None, Some("9999".to_owned()), None]);
}

//! What must hold for runs of any convention.

use proptest::prelude::*;

use super::*;

#[test]
fn a_text_that_was_said_twice_is_there_twice_and_a_repeated_history_is_not() {
    let user = |text: &str| json!({ "role": "user", "parts": [{ "type": "text", "content": text }] });
    let says = |text: &str| json!({ "role": "assistant", "parts": [{ "type": "text", "content": text }] });
    let chat = |id: &str, at: u64, input: Value, output: Value| {
        span(
            id,
            "a",
            "chat",
            (at, at),
            json!({
            "gen_ai.operation.name": "chat", "gen_ai.input.messages": input, "gen_ai.output.messages": [output] }),
        )
    };
    let run = run_of(&[
        chat("b", 1, json!([user("Go on")]), says("One")),
        chat("c", 2, json!([user("Go on"), says("One"), user("Go on")]), says("One")),
        chat(
            "d",
            3,
            json!([user("Go on"), says("One"), user("Go on"), says(" One "), user("Stop")]),
            says("Done"),
        ),
    ]);
    let texts: Vec<String> = shown(&run).into_iter().map(|step| step.3).collect();
    assert_eq!(texts, ["Go on", "One", "Go on", "One", "Stop", "Done"]);
    assert_eq!(run.task, "Go on");
}

#[test]
fn the_task_is_the_last_question_of_the_first_request_without_pasted_memories() {
    let block = "<relevant_memories>\n<memory id=\"m1\">\nx\n</memory>\n</relevant_memories>";
    let input = json!([
        { "role": "user", "content": "Earlier question" }, { "role": "assistant", "content": "Earlier answer" },
        { "role": "user", "content": format!("Refund 1182\n\n{block}") }]);
    let mut chat = span(
        "b",
        "",
        "chat",
        (1, 2),
        json!({ "gen_ai.operation.name": "chat", "gen_ai.input.messages": input }),
    );
    assert_eq!(run_of(std::slice::from_ref(&chat)).task, "Refund 1182");

    chat.attributes.insert("reflect.task".to_owned(), "Refund an order".into());
    chat.attributes.insert("reflect.retrieval_id".to_owned(), "0197".into());
    let run = run_of(&[chat]);
    assert_eq!((run.task.as_str(), run.context.retrieval_id.as_deref()), ("Refund an order", Some("0197")));
}

#[test]
fn failures_are_steps_and_each_is_there_once() {
    let mut spans = genai();
    spans[2].attributes.remove("gen_ai.tool.call.result");
    spans[2].error = Some("no such city".to_owned());
    spans[3].attributes.remove("gen_ai.output.messages");
    spans[3].attributes.remove("gen_ai.input.messages");
    spans[3].error = Some(String::new());
    spans[3].events.push(OtelEvent {
        name: "exception".to_owned(),
        attributes: attributes(
            json!({ "exception.type": "RateLimitError", "exception.message": "slow down" }),
        ),
        ..OtelEvent::default()
    });
    spans[0].error = Some("RateLimitError: slow down".to_owned());
    spans[0].attributes.remove("gen_ai.output.messages");
    let run = run_of(&spans);
    let steps = steps_of(&run);
    let kinds: Vec<StepKind> = steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [System, User, ToolCall, ToolResult, Error]);
    assert!(steps[3].failed && steps[3].text() == "no such city");
    assert!(steps[4].text().contains("slow down"), "{}", steps[4].text());
    assert_eq!(run.error.as_deref(), Some("RateLimitError: slow down"));
}

#[test]
fn calls_without_ids_are_matched_by_name_and_arguments() {
    let call = |city: &str| json!({ "type": "tool_call", "name": "weather", "arguments": { "city": city } });
    let tool = |id: &str, at: u64, city: &str, result: &str| {
        span(
            id,
            "a",
            "execute_tool weather",
            (at, at + 1),
            json!({
            "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather",
            "gen_ai.tool.call.arguments": { "city": city }, "gen_ai.tool.call.result": result }),
        )
    };
    let run = run_of(&[
        span(
            "b",
            "a",
            "chat",
            (1, 2),
            json!({ "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [{ "role": "user", "content": "Weather?" }],
            "gen_ai.output.messages": [{ "role": "assistant", "parts": [call("Oslo"), call("Rome")] }] }),
        ),
        tool("c", 3, "Rome", "20"),
        tool("d", 5, "Oslo", "12"),
        tool("e", 7, "Bern", "15"),
    ]);
    let kinds: Vec<StepKind> = shown(&run).into_iter().map(|step| step.0).collect();
    assert_eq!(kinds, [User, ToolCall, ToolCall, ToolResult, ToolResult, ToolCall, ToolResult]);
}

/// A use of a tool without the id of a call.
fn use_of(tool: &str, id: &str, parent: &str, times: (u64, u64), given: Value) -> OtelSpan {
    let name = format!("execute_tool {tool}");
    let mut span = span(id, parent, &name, times, given);
    span.attributes.insert("gen_ai.operation.name".to_owned(), "execute_tool".into());
    span.attributes.insert("gen_ai.tool.name".to_owned(), tool.into());
    span
}

/// A model call that asks for tools, by their arguments.
fn asking(id: &str, parent: &str, times: (u64, u64), tool: &str, arguments: &[Value]) -> OtelSpan {
    let call = |arguments: &Value| json!({ "type": "tool_call", "name": tool, "arguments": arguments });
    let parts: Vec<Value> = arguments.iter().map(call).collect();
    let given = json!({ "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": [{ "role": "assistant", "parts": parts }] });
    span(id, parent, "chat", times, given)
}

#[test]
fn a_span_inside_one_of_the_same_tool_is_the_same_call() {
    let city = |city: &str| json!({ "city": city });
    let weather = |id: &str, parent: &str, times: (u64, u64), place: &str, result: &str| {
        let given = json!({ "gen_ai.tool.call.arguments": city(place), "gen_ai.tool.call.result": result });
        use_of("weather", id, parent, times, given)
    };
    let mut spans = vec![
        asking("b", "a", (1, 2), "weather", &[city("Oslo"), city("Rome")]),
        weather("c", "a", (3, 6), "Oslo", "12"),
        // The client of the tool server, and the server.
        weather("d", "c", (4, 5), "Oslo", "12"),
        weather("e", "d", (4, 5), "Oslo", "12"),
        weather("f", "a", (5, 9), "Rome", "20"),
        weather("g", "f", (6, 8), "Rome", "20"),
    ];
    let kinds = |spans: &[OtelSpan]| -> Vec<StepKind> {
        shown(&run_of(spans)).into_iter().map(|step| step.0).collect()
    };
    assert_eq!(kinds(&spans), [ToolCall, ToolCall, ToolResult, ToolResult]);
    // No model says what it asked for.
    assert_eq!(kinds(&spans[1..]), [ToolCall, ToolCall, ToolResult, ToolResult]);
    // What only the inner span says is not lost.
    spans[1].attributes.remove("gen_ai.tool.call.result");
    let results = shown(&run_of(&spans)).into_iter().filter(|step| step.0 == ToolResult);
    assert_eq!(results.map(|step| step.3).collect::<Vec<_>>(), ["12", "20"]);
}

#[test]
fn a_tool_that_uses_itself_because_a_model_asked_for_it_is_used_twice() {
    let about = |topic: &str| json!({ "topic": topic });
    let research = |id: &str, parent: &str, times: (u64, u64), topic: &str| {
        let given = json!({ "gen_ai.tool.call.arguments": about(topic), "gen_ai.tool.call.result": topic });
        use_of("research", id, parent, times, given)
    };
    let run = run_of(&[
        asking("b", "a", (1, 2), "research", &[about("ships")]),
        research("c", "a", (3, 9), "ships"),
        asking("d", "c", (4, 5), "research", &[about("sails")]),
        research("e", "c", (6, 7), "sails"),
    ]);
    let results = shown(&run).into_iter().filter(|step| step.0 == ToolResult);
    assert_eq!(results.map(|step| step.3).collect::<Vec<_>>(), ["sails", "ships"]);
}

#[test]
fn a_retrieval_is_a_use_of_a_tool() {
    let run = run_of(&[span(
        "a",
        "",
        "retrieval handbook",
        (1, 2),
        json!({ "gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": "refunds",
                "gen_ai.retrieval.documents": [{ "id": "doc-1", "score": 0.9 }] }),
    )]);
    let steps = shown(&run);
    let kinds: Vec<StepKind> = steps.iter().map(|step| step.0).collect();
    assert_eq!(kinds, [ToolCall, ToolResult]);
    assert_eq!(steps[0].1, "retrieval handbook");
    assert!(steps[0].3.contains("refunds"), "{}", steps[0].3);
    assert!(steps[1].3.contains("doc-1"), "{}", steps[1].3);
}

#[test]
fn results_are_in_the_order_in_which_the_model_was_sent_them() {
    let asks = |id: &str| json!({ "type": "tool_call", "id": id, "name": "weather", "arguments": {} });
    let found = |id: &str| json!({ "type": "tool_call_response", "id": id, "response": format!("of {id}") });
    let answer = json!({ "role": "assistant", "parts": [asks("1"), asks("2"), asks("3")] });
    let results = json!({ "role": "tool", "parts": [found("1"), found("2"), found("3")] });
    let tool = |span_id: &str, id: &str, times: (u64, u64)| {
        let given = json!({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather",
            "gen_ai.tool.call.id": id, "gen_ai.tool.call.result": format!("of {id}") });
        span(span_id, "a", "execute_tool weather", times, given)
    };
    let chat = |span_id: &str, times: (u64, u64), given: Value| span(span_id, "a", "chat", times, given);
    // The third one ends first, and the second one last.
    let run = run_of(&[
        chat(
            "b",
            (1, 2),
            json!({ "gen_ai.operation.name": "chat", "gen_ai.output.messages": [answer.clone()] }),
        ),
        tool("c", "1", (3, 8)),
        tool("d", "2", (3, 9)),
        tool("e", "3", (3, 4)),
        chat(
            "f",
            (10, 11),
            json!({ "gen_ai.operation.name": "chat", "gen_ai.input.messages": [answer, results] }),
        ),
    ]);
    let steps = shown(&run);
    let order: Vec<&str> =
        steps.iter().filter(|step| step.0 == ToolResult).map(|step| step.2.as_str()).collect();
    assert_eq!(order, ["1", "2", "3"]);
}

#[test]
fn a_run_with_too_many_messages_is_cut_after_them() {
    let numbers = |digit: u64, count: usize| Value::from(vec![digit; count]);
    let chat = |id: String, input: Value, output: Value| {
        let given = json!({ "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": input.to_string(), "gen_ai.output.messages": output.to_string() });
        span(&id, "", "chat", (1, 2), given)
    };
    let asked: Vec<OtelSpan> =
        (0..3).map(|one| chat(format!("{one:016x}"), numbers(one, MAX_MESSAGES), json!([]))).collect();
    assert_eq!(run_of(&asked).messages.len(), MAX_MESSAGES + 1);
    let answered: Vec<OtelSpan> =
        (0..3).map(|one| chat(format!("{one:016x}"), json!([]), numbers(one, MAX_MESSAGES))).collect();
    assert_eq!(run_of(&answered).messages.len(), MAX_MESSAGES + 1);
    // A longer list is a text.
    let one = run_of(&[chat("1".repeat(16), numbers(1, MAX_MESSAGES + 1), json!([]))]);
    assert_eq!(one.messages.len(), 1);
}

#[test]
fn messages_after_the_budget_of_values_are_texts() {
    let block = |text: &str| json!({ "type": "text", "text": text });
    let message = |id: usize| {
        let blocks: Vec<Value> = (0..8_000).map(|part| block(&format!("{id} {part}"))).collect();
        json!({ "role": "user", "content": blocks })
    };
    let input: Vec<Value> = (0..12).map(message).collect();
    let chat = span(
        "1",
        "",
        "chat",
        (1, 2),
        json!({ "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": Value::from(input).to_string() }),
    );
    let run = run_of(&[chat]);
    let is_json = |message: &Map<String, Value>| {
        message["content"].as_str().is_some_and(|content| content.starts_with("{\"role\""))
    };
    assert_eq!(
        (run.messages.len(), is_json(&run.messages[0]), is_json(&run.messages[11])),
        (12, false, true)
    );
}

#[test]
fn spans_of_other_programs_are_no_parts_and_runs_without_content_are_none() {
    let request = span("a", "", "GET /", (0, 1), json!({ "http.request.method": "GET" }));
    assert!(read_span(&request).is_none());
    let silent = span(
        "b",
        "",
        "chat m",
        (0, 1),
        json!({ "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" }),
    );
    assert!(assemble(vec![read_span(&silent).unwrap()]).is_none());
    let embedding = span("c", "", "embeddings", (0, 1), json!({ "gen_ai.operation.name": "embeddings" }));
    assert_eq!(read_span(&embedding).unwrap().kind, RunPartKind::Other);
    assert!(assemble(Vec::new()).is_none());
}

#[test]
fn a_call_that_two_spans_report_is_counted_once() {
    let mut spans = genai();
    let silent = json!({ "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2 });
    spans.push(span("e", "a", "anthropic.messages.create", (1, 2), silent));
    let run = run_of(&spans);
    assert_eq!(run.usage, Some(TokenUsage { input_tokens: 14, output_tokens: 6 }));
    assert_eq!(run.messages, run_of(&genai()).messages);
}

#[test]
fn the_request_around_a_run_says_whose_session_it_is() {
    let request =
        span("r", "", "GET /", (0, 10), json!({ "session.id": "s-1", "user.id": "ana", "http.route": "/" }));
    assert!(read_span(&request).is_none());
    let mut parts: Vec<RunPart> = genai().iter().filter_map(read_span).collect();
    parts.push(read_context(&request).unwrap());
    let run = assemble(parts).unwrap();
    assert_eq!((run.context.session.as_deref(), run.context.user.as_deref()), (Some("s-1"), Some("ana")));
    assert_eq!(shown(&run), weather_run());
    assert!(read_context(&span("r", "", "GET /", (0, 1), json!({ "http.route": "/" }))).is_none());
}

#[test]
fn spans_that_are_their_own_ancestors_are_read() {
    let chat = |id: &str, parent: &str, said: &str| {
        span(
            id,
            parent,
            "chat",
            (1, 2),
            json!({ "gen_ai.operation.name": "chat",
            "gen_ai.input.messages": [{ "role": "user", "content": said }] }),
        )
    };
    let run = run_of(&[chat("a", "b", "one"), chat("b", "a", "two"), chat("c", "c", "three")]);
    assert_eq!(run.messages.len(), 3);
}

proptest! {
    #[test]
    fn the_order_of_arrival_does_not_matter(order in Just((0..4).collect::<Vec<usize>>()).prop_shuffle()) {
        let spans = genai();
        let shuffled: Vec<OtelSpan> = order.iter().map(|at| spans[*at].clone()).collect();
        prop_assert_eq!(run_of(&shuffled), run_of(&spans));
    }

    #[test]
    fn a_stored_part_is_read_back(at in 0_usize..4) {
        let part = read_span(&genai()[at]).unwrap();
        let stored = serde_json::to_string(&part).unwrap();
        let back: RunPart = serde_json::from_str(&stored).unwrap();
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), stored);
    }

    #[test]
    fn any_text_can_be_an_attribute(text in ".{0,60}", name in prop::sample::select(vec![
        "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "llm.input_messages.0.message.content",
        "ai.prompt", "ai.prompt.messages", "ai.response.toolCalls", "input.value", "output.value", "gen_ai.prompt",
    ])) {
        let mut chat = span("a", "", "chat", (1, 2), json!({ "gen_ai.operation.name": "chat" }));
        chat.attributes.insert(name.to_owned(), text.into());
        let part = read_span(&chat).unwrap();
        let stored = serde_json::to_string(&part).unwrap();
        prop_assert!(serde_json::from_str::<RunPart>(&stored).is_ok());
        assemble(vec![part]);
    }
}

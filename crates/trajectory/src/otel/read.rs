//! Reads a span: what kind of part it is, and what it says.

use serde_json::{Map, Value};

use super::attributes::{Attributes, number, owned, parsed, raw, text, value};
use super::part::{RunAttributes, RunPart, RunPartKind, TokenUsage, ToolSpan};
use super::span::OtelSpan;
use super::{contents, event};
use crate::message::Turn;
use reflect_types::StepKind;

/// Texts of the context of a run are cut after this many characters.
const LONGEST_CONTEXT: usize = 500;
/// Failures are compared with each other, so they are cut too. One may contain a stack trace.
const LONGEST_ERROR: usize = 4000;

/// Reads a span. `None` if it follows none of the conventions.
///
/// ```
/// use reflect_trajectory::otel::{OtelSpan, RunPartKind, read_span};
///
/// let mut span = OtelSpan { name: "execute_tool weather".to_owned(), ..OtelSpan::default() };
/// assert!(read_span(&span).is_none());
/// span.attributes.insert("gen_ai.operation.name".to_owned(), "execute_tool".into());
/// assert_eq!(read_span(&span).unwrap().tool.unwrap().name, "weather");
/// ```
pub fn read_span(span: &OtelSpan) -> Option<RunPart> {
    let attributes = &span.attributes;
    let kind = kind_of(attributes).or_else(|| {
        let has_messages = span.events.iter().any(event::has_messages);
        has_messages.then_some(RunPartKind::Model)
    })?;
    let mut part = RunPart {
        kind,
        span: span.span_id.clone(),
        parent: span.parent_id.clone(),
        name: span.name.clone(),
        start: span.start,
        end: span.end.max(span.start),
        error: error_of(span).map(|error| error.chars().take(LONGEST_ERROR).collect()),
        context: context_of(attributes, &span.resource),
        ..RunPart::default()
    };
    match kind {
        RunPartKind::Agent | RunPartKind::Model => {
            part.input = contents::input(attributes);
            part.output = contents::output(attributes);
            event::add_messages(&mut part, &span.events);
        }
        RunPartKind::Tool => part.tool = Some(tool_of(span)),
        RunPartKind::Event | RunPartKind::Other => {}
    }
    if kind == RunPartKind::Model {
        part.model = owned(attributes, &MODELS);
        part.usage = usage_of(attributes);
    }
    Some(part)
}

/// Reads a span that follows none of the conventions, but says something about the run that it contains, such as the
/// session. `None` if it does not.
pub fn read_context(span: &OtelSpan) -> Option<RunPart> {
    let context = context_of(&span.attributes, &Map::new());
    (context != RunAttributes::default()).then(|| RunPart {
        span: span.span_id.clone(),
        parent: span.parent_id.clone(),
        name: span.name.clone(),
        start: span.start,
        end: span.end.max(span.start),
        context,
        ..RunPart::default()
    })
}

/// The model that answered comes before the model that was asked for.
const MODELS: [&str; 6] = [
    "gen_ai.response.model",
    "llm.response.model_name",
    "llm.model_name",
    "ai.response.model",
    "gen_ai.request.model",
    "ai.model.id",
];

fn kind_of(attributes: &Attributes) -> Option<RunPartKind> {
    let word = |name: &str| text(attributes, &[name]);
    if let Some(operation) = word("gen_ai.operation.name") {
        return Some(match operation {
            "chat" | "text_completion" | "completion" | "generate_content" => RunPartKind::Model,
            "execute_tool" | "retrieval" => RunPartKind::Tool,
            "invoke_agent" | "invoke_workflow" | "workflow" | "agent_step" | "plan" => RunPartKind::Agent,
            _ => RunPartKind::Other,
        });
    }
    if let Some(kind) = word("openinference.span.kind") {
        return Some(match kind.to_ascii_uppercase().as_str() {
            "LLM" => RunPartKind::Model,
            "TOOL" | "RETRIEVER" => RunPartKind::Tool,
            "AGENT" | "CHAIN" => RunPartKind::Agent,
            _ => RunPartKind::Other,
        });
    }
    if let Some(operation) = word("ai.operationId") {
        return Some(match operation {
            "ai.toolCall" => RunPartKind::Tool,
            "ai.generateText" | "ai.streamText" | "ai.generateObject" | "ai.streamObject" => {
                RunPartKind::Agent
            }
            other if is_model_call(other) => RunPartKind::Model,
            _ => RunPartKind::Other,
        });
    }
    if let Some(kind) = word("traceloop.span.kind") {
        return Some(match kind {
            "tool" => RunPartKind::Tool,
            _ => RunPartKind::Agent,
        });
    }
    match word("llm.request.type") {
        Some("chat" | "completion") => return Some(RunPartKind::Model),
        // The text of an embedding is no message.
        Some(_) => return Some(RunPartKind::Other),
        None => {}
    }
    let asks = attributes.contains_key("gen_ai.request.model")
        && text(attributes, &["gen_ai.system", "gen_ai.provider.name"]).is_some();
    asks.then_some(RunPartKind::Model)
}

/// `ai.generateText.doGenerate` and the like.
fn is_model_call(operation: &str) -> bool {
    let (_, call) = operation.rsplit_once('.').unwrap_or_default();
    matches!(call, "doGenerate" | "doStream") && !operation.starts_with("ai.embed")
}

/// The message of the status, or of the exception, or the type of the error.
fn error_of(span: &OtelSpan) -> Option<String> {
    let message = span.error.as_ref()?;
    if !message.trim().is_empty() {
        return Some(message.clone());
    }
    let exception = span.events.iter().rev().find(|event| event.name == "exception");
    let of_exception = exception.and_then(|event| {
        let kind = text(&event.attributes, &["exception.type"]);
        let message = text(&event.attributes, &["exception.message"]);
        let words: Vec<&str> = kind.into_iter().chain(message).collect();
        (!words.is_empty()).then(|| words.join(": "))
    });
    of_exception.or_else(|| owned(&span.attributes, &["error.type"])).or_else(|| Some("error".to_owned()))
}

fn usage_of(attributes: &Attributes) -> Option<TokenUsage> {
    let input = number(
        attributes,
        &[
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
            "llm.token_count.prompt",
            "ai.usage.inputTokens",
            "ai.usage.promptTokens",
        ],
    );
    let output = number(
        attributes,
        &[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.token_count.completion",
            "ai.usage.outputTokens",
            "ai.usage.completionTokens",
        ],
    );
    (input.is_some() || output.is_some()).then(|| TokenUsage {
        input_tokens: input.unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
    })
}

fn tool_of(span: &OtelSpan) -> ToolSpan {
    let attributes = &span.attributes;
    let name =
        owned(attributes, &["gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"]);
    let name =
        name.unwrap_or_else(|| span.name.strip_prefix("execute_tool ").unwrap_or(&span.name).to_owned());
    let call_id = owned(attributes, &["gen_ai.tool.call.id", "tool_call.id", "tool.id", "ai.toolCall.id"]);
    let arguments = [
        "gen_ai.tool.call.arguments",
        "ai.toolCall.args",
        "input.value",
        "gen_ai.retrieval.query.text",
        "traceloop.entity.input",
        "tool.parameters",
    ];
    let results = [
        "gen_ai.tool.call.result",
        "ai.toolCall.result",
        "output.value",
        "gen_ai.retrieval.documents",
        "traceloop.entity.output",
    ];
    let arguments = value(attributes, &arguments).and_then(raw);
    let result = value(attributes, &results).and_then(raw);
    with_message(ToolSpan { call_id, name, arguments, result })
}

/// LangChain gives the message with the result instead of the result. It names the call.
fn with_message(tool: ToolSpan) -> ToolSpan {
    let message = tool.result.as_ref().filter(|json| json.get().contains("tool_call_id"));
    let Some(message @ Value::Object(_)) = message.and_then(|json| parsed(json.get())) else { return tool };
    let steps = Turn::read(message).steps;
    match steps.as_slice() {
        [step] if step.kind == StepKind::ToolResult && step.call_id.is_some() => ToolSpan {
            call_id: tool.call_id.or_else(|| step.call_id.clone()),
            result: serde_json::value::to_raw_value(&step.text()).ok(),
            ..tool
        },
        _ => tool,
    }
}

fn context_of(attributes: &Attributes, resource: &Map<String, Value>) -> RunAttributes {
    let named =
        |names: &[&str]| text(attributes, names).map(|text| text.chars().take(LONGEST_CONTEXT).collect());
    RunAttributes {
        task: owned(attributes, &["reflect.task"]),
        retrieval_id: named(&["reflect.retrieval_id"]),
        session: named(&[
            "session.id",
            "ai.settings.context.sessionId",
            "ai.telemetry.metadata.sessionId",
            "traceloop.association.properties.session_id",
        ]),
        conversation: named(&["gen_ai.conversation.id"]),
        user: named(&[
            "user.id",
            "enduser.id",
            "ai.settings.context.userId",
            "ai.telemetry.metadata.userId",
            "traceloop.association.properties.user_id",
        ]),
        agent: named(&["gen_ai.agent.name", "agent.name"]),
        service: text(resource, &["service.name"])
            .filter(|name| !name.starts_with("unknown_service"))
            .map(|name| name.chars().take(LONGEST_CONTEXT).collect()),
    }
}

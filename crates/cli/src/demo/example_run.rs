//! An example run as its agent would send it: messages with times and tokens, memories, and the review.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use reflect_sdk::Message;
use reflect_sdk::api::{CreateTrace, InlineReview, Memory};
use reflect_sdk::types::{MemoryId, RetrievalId, ReviewResult};
use serde_json::{Map, Value, json};
use uuid::{NoContext, Timestamp, Uuid};

use super::scenario::{Attempt, PlannedReview, PlannedRun};
use super::topics::{Policy, ToolCall, Topic};

const INSTRUCTIONS: &str = "You are the support agent of an online shop. Look up the facts before you promise anything. \
                            Answer in a friendly way, and say what happens next.";
const NOTE: &str = "made up, sent by `reflect demo`";
const CHANNELS: [&str; 3] = ["email", "chat", "email"];
const BYTES_PER_TOKEN: usize = 4;

/// A model that the example agent uses.
struct ExampleModel {
    name: &'static str,
    /// How long an answer takes to start, and then per token, in milliseconds.
    starts_after: u64,
    per_token: u64,
    /// The price of a million tokens.
    dollars: f64,
}

const SMALL: ExampleModel =
    ExampleModel { name: "example-small", starts_after: 380, per_token: 9, dollars: 0.4 };
const LARGE: ExampleModel =
    ExampleModel { name: "example-large", starts_after: 620, per_token: 16, dollars: 2.5 };

/// What the agent received before a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Received<'a> {
    pub(super) memories: &'a [Memory],
    /// The receipt of the query.
    pub(super) retrieval_id: Option<RetrievalId>,
    /// The rules whose lesson the agent followed, if it received one about its topic.
    pub(super) followed: Option<Policy>,
}

/// The run to send.
pub(super) fn body(
    run: &PlannedRun,
    topic: &Topic,
    attempt: &Attempt,
    received: Received<'_>,
) -> anyhow::Result<CreateTrace> {
    let model = if run.is_large_model { &LARGE } else { &SMALL };
    let transcript = Transcript::of(run, attempt, received.memories, model);
    let metadata = json!({
        "example": true,
        "note": NOTE,
        "category": topic.id,
        "channel": CHANNELS[run.number % CHANNELS.len()],
        "latency_ms": (transcript.at - run.at).num_milliseconds(),
        "tokens": transcript.tokens,
        "cost_usd": (transcript.tokens as f64 * model.dollars / 10.0).round() / 100_000.0,
    });
    let (memories, followed) = (received.memories, received.followed);
    let is_used =
        |memory: &&Memory| followed.is_some() && topic.policy_of(&memory.correct_action) == followed;
    let trajectory = serde_json::value::to_raw_value(&transcript.messages)?;
    Ok(CreateTrace {
        trace_id: Some(id_at(run.at)),
        retrieved_memory_ids: Some(texts(memories.iter().map(|memory| memory.id))),
        used_memory_ids: Some(texts(memories.iter().filter(is_used).map(|memory| memory.id))),
        retrieval_id: received.retrieval_id,
        model: Some(model.name.to_owned()),
        metadata: fields(metadata),
        review: attempt.review.clone().map(inline),
        ..CreateTrace::new(run.task.clone(), trajectory)
    })
}

fn texts(ids: impl Iterator<Item = MemoryId>) -> Vec<String> {
    ids.map(|id| id.to_string()).collect()
}

fn inline(review: PlannedReview) -> InlineReview {
    InlineReview {
        result: if review.passed { ReviewResult::Pass } else { ReviewResult::Fail },
        feedback_text: review.feedback,
        alpha: None,
        reflection: Some(review.lesson),
        reviewed_at: Some(review.at),
    }
}

/// The id of a run at this time. The server reads the time from it.
pub(super) fn id_at(at: DateTime<Utc>) -> Uuid {
    let seconds = u64::try_from(at.timestamp()).unwrap_or_default();
    Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, at.timestamp_subsec_nanos()))
}

/// The metadata that every example has.
pub(super) fn example_metadata() -> Option<Map<String, Value>> {
    fields(json!({ "example": true, "note": NOTE }))
}

fn fields(metadata: Value) -> Option<Map<String, Value>> {
    match metadata {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// The messages of a run, with the time that it has reached and the tokens that it took.
struct Transcript<'a> {
    model: &'a ExampleModel,
    at: DateTime<Utc>,
    messages: Vec<Message>,
    /// The tokens of all messages so far, which each call of the model reads again.
    read: u64,
    tokens: u64,
}

impl<'a> Transcript<'a> {
    fn of(run: &PlannedRun, attempt: &Attempt, memories: &[Memory], model: &'a ExampleModel) -> Self {
        let mut transcript = Self { model, at: run.at, messages: Vec::new(), read: 0, tokens: 0 };
        transcript.add(Message::system(instructions(memories)));
        transcript.add(Message::user(run.task.as_str()));
        for call in &attempt.way.calls {
            transcript.add_call(call);
        }
        transcript.add_written(Message::assistant(attempt.way.answer.as_str()));
        transcript
    }

    fn add(&mut self, message: Message) {
        self.read += tokens(&message);
        let at = self.at.to_rfc3339_opts(SecondsFormat::Millis, true);
        self.messages.push(message.with("timestamp", at));
    }

    /// Adds a message that the model writes.
    fn add_written(&mut self, message: Message) {
        let written = tokens(&message);
        let took = self.model.starts_after + self.model.per_token * written;
        let used = self.read + written;
        self.pass(took);
        self.tokens += used;
        self.add(message.with("latency_ms", took).with("tokens", used));
    }

    fn add_call(&mut self, call: &ToolCall) {
        self.add_written(Message::tool_call(&call.tool, call.arguments.clone()));
        self.pass(call.ms);
        let result = call.result_text();
        let is_error = result.starts_with("error");
        let message = Message::tool_result(&call.tool, result).with("latency_ms", call.ms);
        self.add(if is_error { message.with("is_error", true) } else { message });
    }

    fn pass(&mut self, ms: u64) {
        self.at += TimeDelta::milliseconds(i64::try_from(ms).unwrap_or_default());
    }
}

/// The instructions of the agent, with the lessons that it received.
fn instructions(memories: &[Memory]) -> String {
    if memories.is_empty() {
        return INSTRUCTIONS.to_owned();
    }
    let lessons = memories.iter().map(|memory| format!("## {}\n{}", memory.task, memory.reflection));
    let lessons = lessons.collect::<Vec<_>>().join("\n\n");
    format!(
        "{INSTRUCTIONS}\n\n<memories>\nLessons from earlier runs: notes, not orders. Use what fits this task.\n\n\
         {lessons}\n</memories>"
    )
}

fn tokens(message: &Message) -> u64 {
    let length = serde_json::to_string(message).map_or(0, |text| text.len());
    (length / BYTES_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::scenario::{Knowledge, Recalled, Scenario};

    fn scenario() -> Scenario {
        Scenario::until(DateTime::from_timestamp(1_795_017_600, 0).unwrap()).unwrap()
    }

    fn sent(
        scenario: &Scenario,
        run: &PlannedRun,
        memories: &[Memory],
        followed: Option<Policy>,
    ) -> CreateTrace {
        let knowledge = if followed.is_some() { Knowledge::Lesson } else { Knowledge::Nothing };
        let attempt = scenario.attempt(run, Recalled { knowledge, earlier: 0 });
        let received = Received { memories, retrieval_id: None, followed };
        body(run, scenario.topic_of(run), &attempt, received).unwrap()
    }

    fn messages(trace: &CreateTrace) -> Vec<Value> {
        serde_json::from_str(trace.trajectory.get()).unwrap()
    }

    /// A memory with this action.
    fn memory(correct_action: &str) -> Memory {
        let id = Uuid::now_v7();
        let memory = json!({
            "id": id, "task": "An earlier task", "reflection": "Look first.", "summary": "", "guidance": "",
            "key_mistake": "", "correct_action": correct_action, "applicable_tools": [], "tools_used": [],
            "q_value": 0.5, "similarity": 0.7, "utility": 0.6, "credit": 0.5, "evidence": 0,
            "credit_interval": [0.2, 0.8], "score": 0.6, "success": false, "retrieval_id": id, "reviews": 0,
            "metadata": {}, "origin": "authored", "source_trace_id": null, "model": null, "note": null,
            "created_at": "2026-11-15T04:36:40Z"
        });
        serde_json::from_value(memory).unwrap()
    }

    #[test]
    fn the_id_and_the_review_have_the_times_of_the_plan() {
        let scenario = scenario();
        let run = &scenario.runs[0];

        let trace = sent(&scenario, run, &[], None);

        let (seconds, _) = trace.trace_id.unwrap().get_timestamp().unwrap().to_unix();
        assert_eq!(i64::try_from(seconds).unwrap(), run.at.timestamp());
        assert_eq!(trace.review.unwrap().reviewed_at, run.reviewed_at);
        assert_eq!(trace.metadata.unwrap()["example"], true);
    }

    #[test]
    fn messages_have_times_and_tokens_and_errors_are_marked() {
        let scenario = scenario();
        let of_topic = |id: &str| {
            let is_of_topic = |run: &&PlannedRun| scenario.topic_of(run).id == id;
            scenario.runs.iter().find(is_of_topic).unwrap()
        };
        let trace = sent(&scenario, of_topic("address-change"), &[], None);
        let messages = messages(&trace);

        assert!(messages.iter().all(|message| message["timestamp"].is_string()));
        let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant"]);
        assert_eq!(messages[3]["is_error"], true);
        let read = |at: usize| messages[at]["tokens"].as_u64().unwrap();
        assert!(read(2) > 50 && read(4) > read(2));
        assert_eq!(trace.metadata.unwrap()["tokens"], read(2) + read(4));
    }

    #[test]
    fn the_agent_reads_all_memories_and_uses_those_about_its_topic() {
        let scenario = scenario();
        let run = scenario.runs.iter().find(|run| !run.is_first).unwrap();
        let own = scenario.topic_of(run).rules(Policy::Initial).lesson.correct_action.clone();
        let memories = [memory("Do something else"), memory(&own)];

        let trace = sent(&scenario, run, &memories, Some(Policy::Initial));

        assert_eq!(trace.retrieved_memory_ids.as_ref().unwrap().len(), 2);
        assert_eq!(trace.used_memory_ids, Some(vec![memories[1].id.to_string()]));
        let system = messages(&trace)[0]["content"].as_str().unwrap().to_owned();
        assert!(system.contains("\n\n<memories>\n") && system.ends_with("\n</memories>"), "{system}");
        assert_eq!(sent(&scenario, run, &memories[..1], None).used_memory_ids, Some(Vec::new()));
    }
}

//! The arguments of the tools, and their conversion to request bodies. Models read these doc comments.
//!
//! Models and clients use several names for the same argument. All of them are accepted.

use reflect_api::{AuthoredReflection, CreateTrace, InlineReview, QueryMemories, ReviewTrace};
use reflect_types::{MAX_METADATA_VALUES, RetrievalId, ReviewResult, json_cost};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use crate::error::ApiError;

/// More memories would leave too little context for the task.
const MOST: usize = 20;
const USUAL: usize = 5;
/// Any data, with the same limit as in the bodies of the API.
const FREE_FORM: [&str; 2] = ["metadata", "metadata_filter"];

/// Parses the arguments of a call.
pub(super) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ApiError> {
    for (name, value) in FREE_FORM.iter().filter_map(|name| Some((name, arguments.get(*name)?))) {
        if json_cost(value.to_string().as_bytes()).exceeds(MAX_METADATA_VALUES) {
            let problem = format!("{name}: must not have more than {MAX_METADATA_VALUES} values");
            return Err(ApiError::invalid(problem));
        }
    }
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ApiError::invalid(format!("arguments: {error}")))
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RetrieveMemories {
    /// The task, in a sentence or two.
    #[serde(alias = "task")]
    query: String,
    /// The largest number of memories. Default: 5. At most 20.
    #[serde(default)]
    #[schemars(extend("minimum" = 1, "maximum" = 20))]
    limit: Option<usize>,
    /// The weight of a memory's utility against its similarity, 0 to 1. Default: the project's.
    #[serde(default, alias = "lambda", alias = "utility_weight")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    lambda_: Option<f32>,
    /// Only memories whose metadata has each of these.
    #[serde(default)]
    metadata_filter: Option<Map<String, Value>>,
}

impl From<RetrieveMemories> for QueryMemories {
    fn from(arguments: RetrieveMemories) -> Self {
        Self {
            task: arguments.query,
            limit: Some(arguments.limit.unwrap_or(USUAL).min(MOST)),
            lambda: arguments.lambda_,
            utility_weight: None,
            mmr_lambda: None,
            similarity_threshold: None,
            metadata_filter: arguments.metadata_filter,
            ranking: None,
            metadata_exclude: None,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateMemory {
    /// The task, as it was given.
    task: String,
    /// Whether the task succeeded.
    #[schemars(with = "String", extend("enum" = ["pass", "fail"]))]
    result: ReviewResult,
    /// The lesson in one line.
    #[serde(default)]
    summary: Option<String>,
    /// What to do next time.
    #[serde(default)]
    guidance: Option<String>,
    /// What went wrong.
    #[serde(default)]
    key_mistake: Option<String>,
    /// What should have been done.
    #[serde(default)]
    correct_action: Option<String>,
    /// The tools or areas the lesson is about.
    #[serde(default)]
    applicable_tools: Option<Vec<String>>,
    /// The lesson as one text, instead of its parts.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    reflection: Option<Reflection>,
    /// The ids that retrieve_memories returned for this task. Their utility is then updated.
    #[serde(default, alias = "memory_ids", alias = "retrieved_ids")]
    retrieved_memory_ids: Option<Vec<String>>,
    /// The retrieval_id that retrieve_memories returned, instead of the ids.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    retrieval_id: Option<RetrievalId>,
    /// The run: messages, or a summary. If there is no lesson, one is written from it in the background.
    #[serde(default)]
    #[schemars(with = "Option<Trajectory>")]
    trajectory: Option<Value>,
    /// The final answer.
    #[serde(default)]
    final_response: Option<String>,
    /// What was right or wrong. Used if there is no lesson.
    #[serde(default, alias = "feedback")]
    feedback_text: Option<String>,
    /// The model of the run.
    #[serde(default)]
    model: Option<String>,
    /// Any data to filter by.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// A lesson as one text, or as separate fields.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reflection {
    Text(String),
    Parts(AuthoredReflection),
}

/// A trajectory. Any JSON is accepted.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "made for its schema alone")]
enum Trajectory {
    Text(String),
    Messages(Vec<Map<String, Value>>),
}

impl CreateMemory {
    /// A trace with its review. A given lesson is stored unchanged.
    pub(super) fn into_trace(mut self) -> Result<CreateTrace, ApiError> {
        let reflection = self.lesson();
        let trajectory = self.trajectory.take().unwrap_or_else(|| Value::Array(Vec::new()));
        let trajectory = to_raw_value(&trajectory).map_err(|_| ApiError::internal())?;
        let (result, feedback_text) = (self.result, self.feedback_text);
        Ok(CreateTrace {
            retrieved_memory_ids: self.retrieved_memory_ids,
            retrieval_id: self.retrieval_id,
            model: self.model,
            metadata: self.metadata,
            final_response: self.final_response,
            review: Some(InlineReview { result, feedback_text, alpha: None, reflection, reviewed_at: None }),
            ..CreateTrace::new(self.task, trajectory)
        })
    }

    /// Separate fields win over fields of the lesson.
    fn lesson(&mut self) -> Option<AuthoredReflection> {
        let whole = self.reflection.take();
        let parts = [&self.summary, &self.guidance, &self.key_mistake, &self.correct_action];
        let is_said = |text: &&Option<String>| text.as_ref().is_some_and(|text| !text.trim().is_empty());
        if whole.is_none() && !parts.iter().any(is_said) {
            return None;
        }
        let mut lesson = match whole {
            Some(Reflection::Parts(parts)) => parts,
            Some(Reflection::Text(guidance)) => AuthoredReflection { guidance, ..Default::default() },
            None => AuthoredReflection::default(),
        };
        let said = [
            (&mut lesson.summary, self.summary.take()),
            (&mut lesson.guidance, self.guidance.take()),
            (&mut lesson.key_mistake, self.key_mistake.take()),
            (&mut lesson.correct_action, self.correct_action.take()),
        ];
        for (part, text) in said {
            if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
                *part = text;
            }
        }
        if let Some(tools) = self.applicable_tools.take() {
            lesson.applicable_tools = tools;
        }
        Some(lesson)
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RecordRun {
    /// The task, as it was given.
    task: String,
    /// The run: messages, or a summary.
    #[schemars(with = "Trajectory")]
    trajectory: Value,
    /// The final answer. Default: the last assistant message.
    #[serde(default)]
    final_response: Option<String>,
    /// The ids that retrieve_memories returned for this task. The review updates their utility.
    #[serde(default, alias = "memory_ids", alias = "retrieved_ids")]
    retrieved_memory_ids: Option<Vec<String>>,
    /// The retrieval_id that retrieve_memories returned, instead of the ids.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    retrieval_id: Option<RetrievalId>,
    /// The model of the run.
    #[serde(default)]
    model: Option<String>,
    /// Any data to filter by.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

impl RecordRun {
    /// A trace without a review.
    pub(super) fn into_trace(self) -> Result<CreateTrace, ApiError> {
        let trajectory = to_raw_value(&self.trajectory).map_err(|_| ApiError::internal())?;
        Ok(CreateTrace {
            retrieved_memory_ids: self.retrieved_memory_ids,
            retrieval_id: self.retrieval_id,
            model: self.model,
            metadata: self.metadata,
            final_response: self.final_response,
            ..CreateTrace::new(self.task, trajectory)
        })
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReviewRun {
    /// The trace_id that record_run, create_memory or the API returned.
    pub(super) trace_id: String,
    /// Whether the task succeeded.
    #[schemars(with = "String", extend("enum" = ["pass", "fail"]))]
    result: ReviewResult,
    /// What was right or wrong.
    #[serde(default, alias = "feedback")]
    feedback_text: Option<String>,
    /// Whether this may replace another review of the run.
    #[serde(default)]
    replace: Option<bool>,
}

impl From<ReviewRun> for ReviewTrace {
    fn from(said: ReviewRun) -> Self {
        Self {
            result: said.result,
            feedback_text: said.feedback_text,
            alpha: None,
            reflection: None,
            replace: said.replace.unwrap_or(false),
            grace_seconds: None,
            reviewer: None,
        }
    }
}

/// No arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetSkill {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn trace(arguments: Value) -> CreateTrace {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        read::<CreateMemory>(arguments).unwrap().into_trace().unwrap()
    }

    fn lesson(arguments: Value) -> Option<AuthoredReflection> {
        trace(arguments).review.unwrap().reflection
    }

    #[test]
    fn a_lesson_may_come_in_parts_or_as_one_text_or_not_at_all() {
        let parts =
            json!({ "task": "t", "result": "pass", "summary": "s", "guidance": "g", "key_mistake": null });
        let parts = lesson(parts).unwrap();
        assert_eq!((parts.summary.as_str(), parts.guidance.as_str()), ("s", "g"));

        let text = json!({ "task": "t", "result": "success", "reflection": "Water it.", "summary": "Water" });
        let text = lesson(text).unwrap();
        assert_eq!((text.summary.as_str(), text.guidance.as_str()), ("Water", "Water it."));

        let object = lesson(json!({ "task": "t", "result": "fail", "reflection": { "summary": "s" } }));
        assert_eq!(object.unwrap().summary, "s");

        let run = json!({ "task": "t", "result": "fail", "trajectory": "I tried.", "final_response": "no" });
        assert_eq!(trace(run.clone()).trajectory.get(), r#""I tried.""#);
        assert!(lesson(run).is_none());
        assert_eq!(trace(json!({ "task": "t", "result": "fail", "summary": " " })).trajectory.get(), "[]");
    }

    #[test]
    fn data_has_the_limit_of_the_api() {
        let with = |count: usize| {
            let arguments = json!({ "task": "t", "trajectory": [], "metadata": { "a": vec![0; count] } });
            let Value::Object(arguments) = arguments else { panic!("no object") };
            read::<RecordRun>(arguments)
        };
        assert!(with(900).is_ok());
        assert!(with(1_000).unwrap_err().message.contains("more than 1000 values"));
    }

    #[test]
    fn a_limit_is_five_when_absent_and_twenty_at_most() {
        let limit = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("no object") };
            let arguments: QueryMemories = read::<RetrieveMemories>(arguments).unwrap().into();
            arguments.limit
        };
        assert_eq!(limit(json!({ "query": "q" })), Some(5));
        assert_eq!(limit(json!({ "task": "q", "limit": 7, "lambda": 0.1 })), Some(7));
        assert_eq!(limit(json!({ "query": "q", "limit": 50, "lambda_": 0.1 })), Some(20));
    }
}

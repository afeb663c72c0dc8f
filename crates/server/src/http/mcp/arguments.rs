//! What tools are called with, and the bodies of the contract that it becomes. The comments are what models read.
//!
//! Models and the clients in use name things in more than one way; all of them end here.

use reflect_api::{AuthoredReflection, CreateTrace, InlineReview, QueryMemories, ReviewTrace};
use reflect_types::{RetrievalId, ReviewResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value};

use crate::http::error::ApiError;

/// More memories than this crowd out the task.
const MOST: usize = 20;
const USUAL: usize = 5;

/// Reads the arguments of a call.
pub(super) fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T, ApiError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ApiError::invalid(format!("arguments: {error}")))
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RetrieveMemories {
    /// The task that is about to be done, in a sentence or two.
    #[serde(alias = "task")]
    query: String,
    /// The most memories that are wanted; 5 when absent, and never more than 20.
    #[serde(default)]
    #[schemars(extend("minimum" = 1, "maximum" = 20))]
    limit: Option<usize>,
    /// How much a memory's record counts against its similarity, 0 to 1; 0.5 when absent.
    #[serde(default, alias = "lambda", alias = "utility_weight")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    lambda_: Option<f32>,
    /// Only memories whose metadata has each of these.
    #[serde(default)]
    metadata_filter: Option<Map<String, Value>>,
}

impl From<RetrieveMemories> for QueryMemories {
    fn from(asked: RetrieveMemories) -> Self {
        Self {
            task: asked.query,
            limit: Some(asked.limit.unwrap_or(USUAL).min(MOST)),
            lambda: asked.lambda_,
            utility_weight: None,
            mmr_lambda: None,
            similarity_threshold: None,
            metadata_filter: asked.metadata_filter,
            ranking: None,
            metadata_exclude: None,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CreateMemory {
    /// The task that was done, as it was asked.
    task: String,
    /// Whether it was done well.
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
    /// The ids that retrieve_memories gave for this task, so that they gain or lose weight.
    #[serde(default, alias = "memory_ids", alias = "retrieved_ids")]
    retrieved_memory_ids: Option<Vec<String>>,
    /// The retrieval_id that came with them, instead of the ids.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    retrieval_id: Option<RetrievalId>,
    /// The run itself: messages, or a summary of it. Without a lesson, one is written from it in the background.
    #[serde(default)]
    #[schemars(with = "Option<Trajectory>")]
    trajectory: Option<Value>,
    /// The answer that was given.
    #[serde(default)]
    final_response: Option<String>,
    /// What was right or wrong, in words. Used when no lesson is given.
    #[serde(default, alias = "feedback")]
    feedback_text: Option<String>,
    /// The model that ran.
    #[serde(default)]
    model: Option<String>,
    /// Anything worth filtering by.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// A lesson in one text, or in the parts that the contract has.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reflection {
    Text(String),
    Parts(AuthoredReflection),
}

/// What is said of a trajectory; any JSON is taken.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "made for its schema alone")]
enum Trajectory {
    Text(String),
    Messages(Vec<Map<String, Value>>),
}

impl CreateMemory {
    /// A run with its review; the lesson, when there is one, is taken as it is.
    pub(super) fn into_trace(mut self) -> Result<CreateTrace, ApiError> {
        let reflection = self.lesson();
        let trajectory = self.trajectory.take().unwrap_or_else(|| Value::Array(Vec::new()));
        let trajectory = to_raw_value(&trajectory).map_err(|_| ApiError::internal())?;
        let (result, feedback_text) = (self.result, self.feedback_text);
        Ok(CreateTrace {
            trace_id: None,
            task: self.task,
            trajectory,
            retrieved_memory_ids: self.retrieved_memory_ids,
            retrieval_id: self.retrieval_id,
            used_memory_ids: None,
            model: self.model,
            metadata: self.metadata,
            final_response: self.final_response,
            reference_context: None,
            review: Some(InlineReview { result, feedback_text, alpha: None, reflection }),
        })
    }

    /// Parts that stand beside the whole win over the whole's own.
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
pub(super) struct ReviewRun {
    /// The run: the trace_id that create_memory or the API gave.
    pub(super) trace_id: String,
    /// Whether it was done well.
    #[schemars(with = "String", extend("enum" = ["pass", "fail"]))]
    result: ReviewResult,
    /// What was right or wrong, in words.
    #[serde(default, alias = "feedback")]
    feedback_text: Option<String>,
    /// Whether this may take the place of another verdict on the run.
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

/// Nothing has to be said.
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
    fn a_limit_is_five_when_absent_and_twenty_at_most() {
        let limit = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("no object") };
            let asked: QueryMemories = read::<RetrieveMemories>(arguments).unwrap().into();
            asked.limit
        };
        assert_eq!(limit(json!({ "query": "q" })), Some(5));
        assert_eq!(limit(json!({ "task": "q", "limit": 7, "lambda": 0.1 })), Some(7));
        assert_eq!(limit(json!({ "query": "q", "limit": 50, "lambda_": 0.1 })), Some(20));
    }
}

//! Converts the arguments of a call to types of the SDK.
//!
//! Ids, words and numbers are any JSON and become the SDK's types here, as in a program. If a type does not accept a
//! value, the caller gets an error and nothing is sent.

use std::fmt::Display;
use std::str::FromStr;

use reflect_sdk::api::AuthoredReflection;
use reflect_sdk::types::{Alpha, MemoryId, ReviewResult};
use reflect_sdk::{MemoryQuery, Message, NewTrace, Output, ReviewVerdict, Trajectory};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::problem::Problem;

/// A query for memories.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    task: String,
    limit: Option<usize>,
    utility_weight: Option<f32>,
    mmr_lambda: Option<f32>,
    similarity_threshold: Option<f32>,
    #[serde(default)]
    metadata_filter: Map<String, Value>,
}

impl Query {
    pub(crate) fn said(self) -> MemoryQuery {
        let mut query = MemoryQuery::new(self.task);
        if let Some(limit) = self.limit {
            query = query.limit(limit);
        }
        if let Some(weight) = self.utility_weight {
            query = query.utility_weight(weight);
        }
        if let Some(lambda) = self.mmr_lambda {
            query = query.mmr_lambda(lambda);
        }
        if let Some(least) = self.similarity_threshold {
            query = query.similarity_threshold(least);
        }
        self.metadata_filter
            .into_iter()
            .fold(query, |query, (name, value)| query.metadata_filter(name, value))
    }
}

/// The review of a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Review {
    result: String,
    feedback: Option<String>,
    alpha: Option<f32>,
    lesson: Option<AuthoredReflection>,
}

impl Review {
    pub(crate) fn said(self) -> Result<ReviewVerdict, Problem> {
        let mut verdict = ReviewVerdict::new(parsed::<ReviewResult>("result of a review", &self.result)?);
        if let Some(feedback) = self.feedback {
            verdict = verdict.feedback(feedback);
        }
        if let Some(alpha) = self.alpha {
            verdict =
                verdict.alpha(Alpha::try_from(alpha).map_err(|why| Problem::unsayable("alpha", alpha, why))?);
        }
        Ok(match self.lesson {
            Some(lesson) => verdict.lesson(lesson),
            None => verdict,
        })
    }
}

/// Messages or text.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Course {
    Messages(Vec<Value>),
    Text(String),
}

impl Course {
    fn said(self) -> Trajectory {
        match self {
            Self::Messages(values) => {
                Trajectory::Messages(values.into_iter().map(Message::from_value).collect())
            }
            Self::Text(text) => Trajectory::Text(text),
        }
    }
}

/// A run to store.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trace {
    task: String,
    trajectory: Course,
    final_response: Option<String>,
    #[serde(default)]
    retrieved_memory_ids: Vec<String>,
    model: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
    reference_context: Option<String>,
    review: Option<Review>,
}

impl Trace {
    pub(crate) fn said(self) -> Result<NewTrace, Problem> {
        let mut trace = NewTrace::new(self.task, self.trajectory.said());
        if let Some(text) = self.final_response {
            trace = trace.final_response(text);
        }
        if !self.retrieved_memory_ids.is_empty() {
            let ids = self.retrieved_memory_ids.iter().map(|id| parsed::<MemoryId>("id of a memory", id));
            trace = trace.retrieved_memory_ids(ids.collect::<Result<Vec<_>, _>>()?);
        }
        if let Some(model) = self.model {
            trace = trace.model(model);
        }
        if let Some(text) = self.reference_context {
            trace = trace.reference_context(text);
        }
        if let Some(review) = self.review {
            trace = trace.review(review.said()?);
        }
        Ok(self.metadata.into_iter().fold(trace, |trace, (name, value)| trace.metadata(name, value)))
    }
}

/// The output of a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outcome {
    /// Trajectory and final response together.
    text: Option<String>,
    trajectory: Option<Course>,
    review: Option<Review>,
    model: Option<String>,
}

impl Outcome {
    pub(crate) fn said(self) -> Result<Output, Problem> {
        let output = self.text.map(Output::text).unwrap_or_default();
        Ok(Output {
            trajectory: self.trajectory.map(Course::said).or(output.trajectory),
            review: self.review.map(Review::said).transpose()?,
            model: self.model,
            ..output
        })
    }
}

/// Parses a text into a type of the SDK.
pub(crate) fn parsed<T: FromStr<Err: Display>>(what: &str, text: &str) -> Result<T, Problem> {
    text.parse().map_err(|why| Problem::unsayable(what, text, why))
}

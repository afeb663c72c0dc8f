//! Reflection as a library: analyses a run, derives insights, suggests improvements.
//!
//! A [`Reflector`] has three steps. Only the first has no default implementation. [`LlmReflector`] implements it with a
//! model: a [`TextModel`], or any async function through [`model_fn`].
//!
//! ```
//! use reflection_pipeline::{
//!     LlmReflector, ReflectionHistory, ReflectionInput, ReflectionType, Reflector, model_fn,
//! };
//!
//! async fn my_judge(_prompt: String) -> Result<String, std::io::Error> {
//!     Ok(r#"{
//!         "summary": "The agent failed to handle edge cases in the input.",
//!         "key_findings": ["Missing null check", "No retry logic"],
//!         "root_causes": ["Insufficient error handling"],
//!         "insights": ["Edge cases need explicit handling"],
//!         "suggestions": ["Add input validation", "Implement retry with backoff"]
//!     }"#.to_owned())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let reflector = LlmReflector::new(model_fn("my-judge", my_judge)).with_type(ReflectionType::Failure);
//!
//! let input = ReflectionInput {
//!     input: Some("Process this data: null".into()),
//!     output: Some("Error: NoneType has no attribute 'strip'".into()),
//!     error: Some("AttributeError".into()),
//!     iteration: Some(3),
//!     ..Default::default()
//! };
//!
//! let result = reflector.reflect(&input).await?;
//! assert_eq!(result.reflection_type.to_string(), "failure");
//! assert_eq!(result.summary, "The agent failed to handle edge cases in the input.");
//! assert_eq!(result.suggestions, ["Add input validation", "Implement retry with backoff"]);
//!
//! let mut history = ReflectionHistory::new();
//! history.add(result);
//! let summary = serde_json::to_value(history.summarize())?;
//! assert_eq!(summary["total"], 1);
//! assert_eq!(summary["failure"], 1);
//! assert_eq!(summary["types"]["pattern"], 0);
//! # Ok(())
//! # }
//! ```
//!
//! # Level and type
//!
//! [`ReflectionLevel`] selects the data in the prompt. [`ReflectionType`] follows from the outcome unless it is set: a pass
//! is success, a fail is failure, a pass with a low score or a high cost is optimization, several runs are a pattern, and
//! a run without a verdict is insight.
//!
//! # Differences from the Python API of the same shape
//!
//! `GeneralReflector`, `ReflectionResult` and `get_recent` of the Python API are [`LlmReflector`], [`ReflectionResult`]
//! and [`ReflectionHistory::recent`] here. There are three intended differences:
//!
//! 1. **`recent(0)` is empty.** In Python, 0 means everything.
//! 2. **Wrong types are rejected.** After an answer with `"summary": 5` or `"key_findings": "x"`, the model is called once
//!    more with the error. In Python, the value becomes part of the result.
//! 3. **A fallback is visible.** If the answer cannot be parsed, [`ReflectionResult::parse`] is [`Parse::Fallback`] with
//!    the raw text, and the metadata has `parse_error: true`. In Python, it looks like any other reflection.
//!
//! Also, [`suggest`](Reflector::suggest) gets the insights in addition to the analysis, a history is bounded unless it is
//! created with [`unbounded`](ReflectionHistory::unbounded), and the prompt has no empty sections.
//!
//! # Trust
//!
//! The record of a run is untrusted data. The prompt encloses it in marks with a nonce that its author cannot know, replaces
//! all tags, and shortens it to a token budget, the largest parts first. See [`trajectory`].

mod error;
mod history;
mod input;
mod level;
mod llm;
mod model_fn;
mod panel;
mod reflection_type;
mod reflector;
mod result;
pub mod trajectory;

pub use error::{PanelFailure, ReflectionError, UnknownName};
pub use history::{DEFAULT_CAPACITY, HistorySummary, ReflectionHistory};
pub use input::{ReflectionInput, Section};
pub use level::ReflectionLevel;
pub use llm::LlmReflector;
pub use model_fn::{ModelFn, model_fn};
pub use panel::{Panel, PanelReport};
pub use reflect_model::{ModelError, TextModel, Usage};
pub use reflection_type::{LOW_SCORE, ReflectionType};
pub use reflector::{Analysis, Reflector};
pub use result::{Parse, ReflectionResult};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

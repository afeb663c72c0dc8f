//! Reflection as a library: analyse a run, derive insights, suggest what to do better.
//!
//! A [`Reflector`] has three steps, of which only the first has to be written. [`LlmReflector`] writes it by asking a
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
//! # What the labels do
//!
//! [`ReflectionLevel`] decides what the model is shown. [`ReflectionType`] follows from the outcome unless it is
//! fixed: pass is success, fail is failure, a pass with a low score or a high cost is optimization, many runs are
//! a pattern, and no verdict is insight.
//!
//! # Differences from the Python API of the same shape
//!
//! Whoever knows `GeneralReflector`, `ReflectionResult` and `get_recent` from Python finds them here as
//! [`LlmReflector`], [`ReflectionResult`] and [`ReflectionHistory::recent`]. Three things are different on purpose:
//!
//! 1. **`recent(0)` is empty.** There, nought means everything.
//! 2. **Wrong types are refused.** An answer with `"summary": 5` or `"key_findings": "x"` is sent back once; there, it
//!    flows into the result.
//! 3. **A fallback is visible.** If the answer cannot be read, [`ReflectionResult::parse`] is [`Parse::Fallback`] with
//!    the raw text, and the metadata has `parse_error: true`. There, it looks like any other reflection.
//!
//! Further, [`suggest`](Reflector::suggest) receives the insights beside the analysis, a history is bounded unless made
//! [`unbounded`](ReflectionHistory::unbounded), and a section of the prompt appears only if there is something in it.
//!
//! # Trust
//!
//! What a run recorded is data. It is put between marks with a nonce that its author cannot know, stripped of anything
//! that looks like a tag, and cut to a budget, the largest parts first: see [`trajectory`].

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

pub use error::{ReflectionError, UnknownWord};
pub use history::{DEFAULT_CAPACITY, HistorySummary, ReflectionHistory};
pub use input::{ReflectionInput, Section};
pub use level::ReflectionLevel;
pub use llm::LlmReflector;
pub use model_fn::{ModelFn, model_fn};
pub use panel::{Panel, PanelFailure, PanelReport};
pub use reflect_model::{ModelError, TextModel, Usage};
pub use reflection_type::{LOW_SCORE, ReflectionType};
pub use reflector::{Analysis, Reflector};
pub use result::{Parse, ReflectionResult};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

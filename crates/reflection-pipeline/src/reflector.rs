//! The reflector trait: analyse, derive insights, suggest.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::Usage;
use serde_json::{Map, Value};

use crate::error::ReflectionError;
use crate::input::ReflectionInput;
use crate::level::ReflectionLevel;
use crate::reflection_type::ReflectionType;
use crate::result::{Parse, ReflectionResult};

/// The result of the first step. The later steps can replace insights and suggestions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// A summary in one sentence.
    pub summary: String,
    /// The main findings.
    pub key_findings: Vec<String>,
    /// The root causes of the outcome.
    pub root_causes: Vec<String>,
    /// Insights that apply beyond this run.
    pub insights: Vec<String>,
    /// Suggestions for the next run.
    pub suggestions: Vec<String>,
    /// Additional fields of the model's answer, for the later steps. The result does not contain them.
    pub extra: Map<String, Value>,
    /// Entries for the metadata of the result.
    pub metadata: Map<String, Value>,
    /// How the answer was parsed.
    pub parse: Parse,
    /// The token usage.
    pub usage: Usage,
}

/// Reflects on runs. Only [`analyze`](Self::analyze) must be implemented.
///
/// ```
/// use async_trait::async_trait;
/// use reflection_pipeline::{Analysis, ReflectionError, ReflectionInput, Reflector};
///
/// /// A reflector without a model.
/// struct Rules;
///
/// #[async_trait]
/// impl Reflector for Rules {
///     async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
///         let error = input.error.as_deref().unwrap_or("nothing");
///         Ok(Analysis { summary: format!("{error} went wrong"), ..Default::default() })
///     }
///
///     async fn suggest(&self, _: &Analysis, _: &[String]) -> Result<Vec<String>, ReflectionError> {
///         Ok(vec!["Look at the log".into()])
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let input = ReflectionInput { error: Some("DNS".into()), ..Default::default() };
/// let result = Rules.reflect(&input).await.unwrap();
/// assert_eq!(result.summary, "DNS went wrong");
/// assert_eq!(result.suggestions, ["Look at the log"]);
/// # });
/// ```
///
/// An implementation without `analyze` does not compile:
///
/// ```compile_fail,E0046
/// struct Idle;
/// impl reflection_pipeline::Reflector for Idle {}
/// ```
#[async_trait]
pub trait Reflector: Send + Sync {
    /// Its name. Every result has it in its metadata.
    fn name(&self) -> &str {
        "reflector"
    }

    /// The type of a reflection on this input. Default: the type for the outcome.
    fn reflection_type(&self, input: &ReflectionInput) -> ReflectionType {
        ReflectionType::of_outcome(input)
    }

    /// The depth of its reflections.
    fn level(&self) -> ReflectionLevel {
        ReflectionLevel::Medium
    }

    /// Step 1: facts and findings.
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError>;

    /// Step 2: insights that apply beyond this run. Default: the insights of the analysis.
    async fn insight(&self, analysis: &Analysis) -> Result<Vec<String>, ReflectionError> {
        Ok(analysis.insights.clone())
    }

    /// Step 3: suggestions for the next run, from the analysis and the insights of step 2. Default: the suggestions of the
    /// analysis.
    async fn suggest(
        &self,
        analysis: &Analysis,
        insights: &[String],
    ) -> Result<Vec<String>, ReflectionError> {
        let _ = insights;
        Ok(analysis.suggestions.clone())
    }

    /// Runs all three steps.
    async fn reflect(&self, input: &ReflectionInput) -> Result<ReflectionResult, ReflectionError> {
        let analysis = self.analyze(input).await?;
        let insights = self.insight(&analysis).await?;
        let suggestions = self.suggest(&analysis, &insights).await?;
        let mut metadata = analysis.metadata;
        metadata.insert("reflector".into(), self.name().into());
        if analysis.parse.is_fallback() {
            metadata.insert("parse_error".into(), true.into());
        }
        Ok(ReflectionResult {
            reflection_type: self.reflection_type(input),
            level: self.level(),
            summary: analysis.summary,
            key_findings: analysis.key_findings,
            root_causes: analysis.root_causes,
            insights,
            suggestions,
            metadata,
            parse: analysis.parse,
            usage: analysis.usage,
        })
    }
}

#[async_trait]
impl<R: Reflector + ?Sized> Reflector for Arc<R> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn reflection_type(&self, input: &ReflectionInput) -> ReflectionType {
        (**self).reflection_type(input)
    }

    fn level(&self) -> ReflectionLevel {
        (**self).level()
    }

    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        (**self).analyze(input).await
    }

    async fn insight(&self, analysis: &Analysis) -> Result<Vec<String>, ReflectionError> {
        (**self).insight(analysis).await
    }

    async fn suggest(
        &self,
        analysis: &Analysis,
        insights: &[String],
    ) -> Result<Vec<String>, ReflectionError> {
        (**self).suggest(analysis, insights).await
    }

    async fn reflect(&self, input: &ReflectionInput) -> Result<ReflectionResult, ReflectionError> {
        (**self).reflect(input).await
    }
}

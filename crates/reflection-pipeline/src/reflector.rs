//! The pipeline of three steps: analyse, derive insights, suggest.

use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::Usage;
use serde_json::{Map, Value};

use crate::{Parse, ReflectionError, ReflectionInput, ReflectionLevel, ReflectionResult, ReflectionType};

/// What the first step finds out. The later steps may replace insights and suggestions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// All of it in one sentence.
    pub summary: String,
    /// What is worth noticing.
    pub key_findings: Vec<String>,
    /// Why the run came out as it did.
    pub root_causes: Vec<String>,
    /// What holds beyond this run.
    pub insights: Vec<String>,
    /// What to do next time.
    pub suggestions: Vec<String>,
    /// What a model said beyond what it was asked. For the later steps; it does not reach the result.
    pub extra: Map<String, Value>,
    /// What should stand in the result's metadata.
    pub metadata: Map<String, Value>,
    /// How the answer was read.
    pub parse: Parse,
    /// What it cost, in tokens.
    pub usage: Usage,
}

/// Something that reflects on runs. Only [`analyze`](Self::analyze) has to be written.
///
/// ```
/// use async_trait::async_trait;
/// use reflection_pipeline::{Analysis, ReflectionError, ReflectionInput, Reflector};
///
/// /// Needs no model.
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
/// Without `analyze` it is no reflector:
///
/// ```compile_fail,E0046
/// struct Idle;
/// impl reflection_pipeline::Reflector for Idle {}
/// ```
#[async_trait]
pub trait Reflector: Send + Sync {
    /// Its name, which every result carries in its metadata.
    fn name(&self) -> &str {
        "reflector"
    }

    /// The category of what it would say of this input: that of the outcome, unless the reflector has its own.
    fn reflection_type(&self, input: &ReflectionInput) -> ReflectionType {
        ReflectionType::of_outcome(input)
    }

    /// How deep it goes.
    fn level(&self) -> ReflectionLevel {
        ReflectionLevel::Medium
    }

    /// Step 1: facts and findings.
    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError>;

    /// Step 2: what holds beyond this run. Unless written otherwise, what the analysis says.
    async fn insight(&self, analysis: &Analysis) -> Result<Vec<String>, ReflectionError> {
        Ok(analysis.insights.clone())
    }

    /// Step 3: what to do next time, from the analysis and the insights of step 2. Unless written otherwise, what
    /// the analysis says.
    async fn suggest(
        &self,
        analysis: &Analysis,
        insights: &[String],
    ) -> Result<Vec<String>, ReflectionError> {
        let _ = insights;
        Ok(analysis.suggestions.clone())
    }

    /// All three steps.
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

//! A reflector that calls a model.

mod context;
mod prompt;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::{
    ChatMessage, ChatRequest, DEFAULT_REPAIRS, OutputSchema, Reading, Remedy, Structured, StructuredError,
    TextModel, TextModelExt,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::ReflectionError;
use crate::input::ReflectionInput;
use crate::level::ReflectionLevel;
use crate::reflection_type::{LOW_SCORE, ReflectionType};
use crate::reflector::{Analysis, Reflector};
use crate::result::Parse;
use crate::trajectory::Fence;

/// The default maximum length of an answer, in tokens. Five short lists need about a tenth of this. The rest is for the
/// reasoning of the model.
const MAX_TOKENS: u32 = 4_096;
/// The maximum length of the summary of a fallback.
const FALLBACK_SUMMARY: usize = 200;
const NO_MODEL: &str = "No model was given to this reflector, so it has nothing to say";

/// A [`Reflector`] that gets all five parts of a reflection from a [`TextModel`] in one call.
///
/// If the answer does not match the schema, the model is called once more with the error. If that fails too, the result has
/// [`Parse::Fallback`] and `parse_error: true` in its metadata. A failed model call is an error.
///
/// ```
/// use reflection_pipeline::{
///     LlmReflector, Parse, ReflectionInput, ReflectionLevel, ReflectionType, Reflector, model_fn,
/// };
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = model_fn("judge", |_prompt: String| async {
///     Ok::<_, std::convert::Infallible>(r#"{"summary": "The date was read as a time"}"#.to_owned())
/// });
/// let reflector = LlmReflector::new(model).with_level(ReflectionLevel::Shallow);
///
/// let input = ReflectionInput { passed: Some(false), ..Default::default() };
/// let result = reflector.reflect(&input).await.unwrap();
/// assert_eq!(result.reflection_type, ReflectionType::Failure);
/// assert_eq!(result.parse, Parse::Clean);
/// # });
/// ```
#[doc(alias = "GeneralReflector")]
#[derive(Clone)]
pub struct LlmReflector {
    model: Option<Arc<dyn TextModel>>,
    name: String,
    system_prompt: Option<String>,
    fixed_type: Option<ReflectionType>,
    level: ReflectionLevel,
    budget: Option<usize>,
    low_score: f64,
    high_cost: Option<f64>,
    max_tokens: Option<u32>,
    temperature: Option<f64>,
    repairs: u32,
    fence: Arc<dyn Fn() -> Fence + Send + Sync>,
}

// The schema requires all five fields, the parser only one: an incomplete answer is better than a second call.
// Doc comments are part of the schema, and so of the prompt.
/// What can be learned from the record.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "reflection")]
#[schemars(extend("required" = ["summary", "key_findings", "root_causes", "insights", "suggestions"]))]
struct Answer {
    /// One sentence: what happened and what matters about it.
    summary: String,
    /// Facts worth noticing.
    #[serde(default)]
    key_findings: Vec<String>,
    /// Why it came out as it did.
    #[serde(default)]
    root_causes: Vec<String>,
    /// What holds beyond this run.
    #[serde(default)]
    insights: Vec<String>,
    /// What to do next time: concrete steps in order.
    #[serde(default)]
    suggestions: Vec<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    extra: Map<String, Value>,
}

impl LlmReflector {
    /// Creates a reflector at level deep whose type follows from the outcome. Also accepts an `Arc<dyn TextModel>`.
    pub fn new(model: impl TextModel + 'static) -> Self {
        Self { model: Some(Arc::new(model)), ..Self::without_model() }
    }

    /// Creates a reflector without a model. Its results have [`Parse::Fallback`] and `error: true` in the metadata.
    pub fn without_model() -> Self {
        Self {
            model: None,
            name: "general_reflector".into(),
            system_prompt: None,
            fixed_type: None,
            level: ReflectionLevel::Deep,
            budget: None,
            low_score: LOW_SCORE,
            high_cost: None,
            max_tokens: Some(MAX_TOKENS),
            temperature: None,
            repairs: DEFAULT_REPAIRS,
            fence: Arc::new(Fence::random),
        }
    }

    /// Sets the name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Replaces [`DEFAULT_SYSTEM_PROMPT`](Self::DEFAULT_SYSTEM_PROMPT). An empty text selects the default. The user message
    /// states in any case that the record is data.
    #[must_use]
    pub fn with_system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into()).filter(|prompt| !prompt.trim().is_empty());
        self
    }

    /// Sets a fixed type, instead of the type for the outcome.
    #[must_use]
    pub fn with_type(mut self, reflection_type: ReflectionType) -> Self {
        self.fixed_type = Some(reflection_type);
        self
    }

    /// Sets the level.
    #[must_use]
    pub fn with_level(mut self, level: ReflectionLevel) -> Self {
        self.level = level;
        self
    }

    /// Sets the budget in tokens for the trajectory, or for earlier reflections at level meta. Default: the
    /// [`budget`](ReflectionLevel::budget) of the level.
    #[must_use]
    pub fn with_budget(mut self, tokens: usize) -> Self {
        self.budget = Some(tokens);
        self
    }

    /// Sets the score below which a passed run has the type optimization. Default: [`LOW_SCORE`].
    #[must_use]
    pub fn with_low_score(mut self, score: f64) -> Self {
        self.low_score = score;
        self
    }

    /// Sets the cost above which a passed run has the type optimization, in the unit of [`ReflectionInput::cost`].
    #[must_use]
    pub fn with_high_cost(mut self, cost: f64) -> Self {
        self.high_cost = Some(cost);
        self
    }

    /// Sets the maximum length of the answer in tokens. `None` for the default of the provider. Default: 4,096.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: Option<u32>) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Sets the temperature. 0 gives the most repeatable answers. Default: set by the provider.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets how often the model can correct an invalid answer. Default: once.
    #[must_use]
    pub fn with_repairs(mut self, repairs: u32) -> Self {
        self.repairs = repairs;
        self
    }

    /// Sets the source of the marks around data, for tests that compare whole prompts. Default: [`Fence::random`].
    #[must_use]
    pub fn with_fence(mut self, fence: impl Fn() -> Fence + Send + Sync + 'static) -> Self {
        self.fence = Arc::new(fence);
        self
    }

    /// The default system prompt: five sections, JSON, two examples.
    pub const DEFAULT_SYSTEM_PROMPT: &'static str = prompt::SYSTEM;

    /// The system prompt.
    pub fn system_prompt(&self) -> &str {
        self.system_prompt.as_deref().unwrap_or(prompt::SYSTEM)
    }

    /// The request to the model about this input. Public: callers can inspect a prompt before they pay for it.
    pub fn request(&self, input: &ReflectionInput) -> ChatRequest {
        let fence = (self.fence)();
        let budget = self.budget.unwrap_or(self.level.budget());
        let question = prompt::question(self.reflection_type(input), self.level, &fence);
        let context = fence.wrap(&context::sections(input, self.level, budget));
        let messages = vec![
            ChatMessage::system(self.system_prompt()),
            ChatMessage::user(format!("{question}\n\n{context}")),
        ];
        ChatRequest {
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            ..ChatRequest::new(messages)
        }
    }
}

#[async_trait]
impl Reflector for LlmReflector {
    fn name(&self) -> &str {
        &self.name
    }

    fn reflection_type(&self, input: &ReflectionInput) -> ReflectionType {
        self.fixed_type.unwrap_or_else(|| match self.level {
            ReflectionLevel::Meta => ReflectionType::Pattern,
            _ => ReflectionType::of_outcome_within(input, self.low_score, self.high_cost),
        })
    }

    fn level(&self) -> ReflectionLevel {
        self.level
    }

    async fn analyze(&self, input: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        let Some(model) = &self.model else { return Ok(nothing_to_say()) };
        if self.level == ReflectionLevel::Meta && input.earlier_reflections.is_empty() {
            return Err(ReflectionError::NothingEarlier { reflector: self.name.clone() });
        }
        let schema = OutputSchema::of::<Answer>();
        match model.structured_with::<Answer>(self.request(input), schema, self.repairs).await {
            Ok(answer) => Ok(understood(answer)),
            Err(StructuredError { error, raw: Some(raw), usage, .. })
                if error.remedy == Remedy::Unreadable =>
            {
                tracing::debug!(
                    reflector = self.name,
                    model = model.name(),
                    "the answer could not be read: {error}"
                );
                let summary = raw.trim().chars().take(FALLBACK_SUMMARY).collect();
                Ok(Analysis { summary, parse: Parse::Fallback { raw }, usage, ..Analysis::default() })
            }
            Err(StructuredError { error, usage, .. }) => {
                Err(ReflectionError::Model { reflector: self.name.clone(), source: error, usage })
            }
        }
    }
}

impl fmt::Debug for LlmReflector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("LlmReflector");
        shown.field("name", &self.name).field("level", &self.level).field("fixed_type", &self.fixed_type);
        shown
            .field("model", &self.model.as_ref().map(|model| model.name().to_owned()))
            .finish_non_exhaustive()
    }
}

fn understood(answer: Structured<Answer>) -> Analysis {
    let parse = match answer.reading {
        Reading::Clean => Parse::Clean,
        // Not clean because it is incomplete. The raw text is not needed.
        Reading::Repaired | Reading::CutOff => Parse::Repaired,
    };
    let Answer { summary, key_findings, root_causes, insights, suggestions, extra } = answer.value;
    Analysis {
        summary,
        key_findings,
        root_causes,
        insights,
        suggestions,
        extra,
        metadata: Map::new(),
        parse,
        usage: answer.usage,
    }
}

fn nothing_to_say() -> Analysis {
    let metadata = Map::from_iter([("error".to_owned(), Value::Bool(true))]);
    let parse = Parse::Fallback { raw: String::new() };
    Analysis { summary: NO_MODEL.into(), metadata, parse, ..Analysis::default() }
}

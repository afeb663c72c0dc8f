//! A reflector that asks a model.

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

use crate::trajectory::Fence;
use crate::{
    Analysis, LOW_SCORE, Parse, ReflectionError, ReflectionInput, ReflectionLevel, ReflectionType, Reflector,
};

/// The longest answer that is asked for. Five short lists need a tenth of it; the rest is for models that think.
const MAX_TOKENS: u32 = 4_096;
/// How much of an answer that could not be read becomes the summary.
const FALLBACK_SUMMARY: usize = 200;
const NO_MODEL: &str = "No model was given to this reflector, so it has nothing to say";

/// A [`Reflector`] that asks a [`TextModel`] for all five parts of a reflection in one call.
///
/// An answer of the wrong shape is sent back once. If the next one is wrong as well, the result says so:
/// [`Parse::Fallback`], and `parse_error: true` in the metadata. A model that does not answer is an error.
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

// The schema asks for all five, the reader insists on one: half an answer is worth more than a second call.
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
    /// A reflector at level deep whose type follows from the outcome. Takes an `Arc<dyn TextModel>` as well.
    pub fn new(model: impl TextModel + 'static) -> Self {
        Self { model: Some(Arc::new(model)), ..Self::without_model() }
    }

    /// A reflector that has nobody to ask. Its results say so: [`Parse::Fallback`], and `error: true` in the metadata.
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

    /// Another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Other rules for the model in place of [`default_system_prompt`](Self::default_system_prompt). An empty text
    /// means the default. What to look at and that data is data is said in the question, whatever the rules.
    #[must_use]
    pub fn with_system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into()).filter(|prompt| !prompt.trim().is_empty());
        self
    }

    /// One type for everything, instead of the one that follows from the outcome.
    #[must_use]
    pub fn with_type(mut self, reflection_type: ReflectionType) -> Self {
        self.fixed_type = Some(reflection_type);
        self
    }

    /// Another depth.
    #[must_use]
    pub fn with_level(mut self, level: ReflectionLevel) -> Self {
        self.level = level;
        self
    }

    /// How many tokens of trajectory, or of earlier reflections for meta, the model is shown. Unless set, the
    /// level's own [`budget`](ReflectionLevel::budget).
    #[must_use]
    pub fn with_budget(mut self, tokens: usize) -> Self {
        self.budget = Some(tokens);
        self
    }

    /// Below which score a run that passed is worth improving. Unless set, [`LOW_SCORE`].
    #[must_use]
    pub fn with_low_score(mut self, score: f64) -> Self {
        self.low_score = score;
        self
    }

    /// Above which cost a run that passed is worth improving, in the unit of [`ReflectionInput::cost`].
    #[must_use]
    pub fn with_high_cost(mut self, cost: f64) -> Self {
        self.high_cost = Some(cost);
        self
    }

    /// The longest answer, in tokens. None leaves it to the provider. Unless set, 4,096.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: Option<u32>) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// Nought for the same answer every time. Unless set, the provider decides.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// How often a wrong answer is sent back. Unless set, once.
    #[must_use]
    pub fn with_repairs(mut self, repairs: u32) -> Self {
        self.repairs = repairs;
        self
    }

    /// Where the marks around data come from, for tests that compare whole prompts. Unless set, [`Fence::random`].
    #[must_use]
    pub fn with_fence(mut self, fence: impl Fn() -> Fence + Send + Sync + 'static) -> Self {
        self.fence = Arc::new(fence);
        self
    }

    /// The rules that the model gets unless told otherwise: five sections, JSON, two worked examples.
    pub const fn default_system_prompt() -> &'static str {
        prompt::SYSTEM
    }

    /// The rules that the model gets.
    pub fn system_prompt(&self) -> &str {
        self.system_prompt.as_deref().unwrap_or(prompt::SYSTEM)
    }

    /// What the model is asked about this input. Public so that a prompt can be looked at before it is paid for.
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
        // Incomplete, so not clean; and nobody has to look at the raw text.
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

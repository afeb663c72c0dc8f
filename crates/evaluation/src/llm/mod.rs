//! A judge: an evaluator that calls a model.

mod prompt;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::{
    ChatMessage, ChatRequest, DEFAULT_REPAIRS, OutputSchema, Reading, Remedy, Structured, StructuredError,
    TextModel, TextModelExt,
};
use reflection_pipeline::Parse;
use reflection_pipeline::trajectory::Fence;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::attempt::{Attempt, Task};
use crate::criteria::Criteria;
use crate::evaluation::{EvaluatedBy, Evaluation};
use crate::evaluator::{EvaluationError, Evaluator};
use crate::score::Score;
use crate::verdict::Verdict;

/// A verdict needs about a tenth of this. The rest is for the reasoning of the model.
const MAX_TOKENS: u32 = 2_048;
/// The default budget for the trajectory, in tokens: a third of the budget of a deep reflection.
const BUDGET: usize = 8_000;

/// An [`Evaluator`] that gets verdict, score and feedback from a [`TextModel`] in one call.
///
/// If the answer does not match the schema, the model is called once more with the error. If that fails too,
/// [`Verdict::in_text`] parses the text; the verdict is unclear if it finds none. A failed model call is an error.
///
/// ```
/// use reflect_evaluation::{Attempt, Evaluator, LlmEvaluator, Task, Verdict, model_fn};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let model = model_fn("judge", |_prompt: String| async {
///     Ok::<_, std::convert::Infallible>(
///         r#"{"feedback": "The month has no end.", "score": 0.3, "verdict": "fail"}"#.to_owned(),
///     )
/// });
/// let judge = LlmEvaluator::new(model).rubric("The SQL must filter by month.");
///
/// let task = Task::from("Write SQL for last month's orders");
/// let evaluation = judge.evaluate(&task, &Attempt::from("SELECT * FROM orders")).await.unwrap();
/// assert_eq!(evaluation.verdict, Verdict::Fail);
/// assert_eq!(evaluation.alpha().unwrap().get(), 0.1);
/// # });
/// ```
#[derive(Clone)]
pub struct LlmEvaluator {
    model: Arc<dyn TextModel>,
    name: String,
    system_prompt: Option<String>,
    rubric: Option<String>,
    criteria: Option<Criteria>,
    budget: usize,
    max_tokens: Option<u32>,
    temperature: Option<f64>,
    repairs: u32,
    fence: Arc<dyn Fn() -> Fence + Send + Sync>,
}

// Doc comments are part of the schema, and so of the prompt.
/// What is to be said of the attempt.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "evaluation")]
struct Answer {
    /// What is right or wrong, in at most three sentences.
    #[serde(default)]
    feedback: String,
    /// From 0 (nothing of it) to 1 (all of it).
    #[serde(default)]
    #[schemars(with = "f64")]
    score: Option<Score>,
    /// Whether the agent did what it was asked to do.
    #[schemars(with = "Word")]
    verdict: Verdict,
    /// A score for each criterion.
    #[serde(default)]
    criteria: Vec<CriterionAnswer>,
}

/// The verdicts in the schema. The parser accepts more words.
#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
#[expect(dead_code, reason = "its schema is used, never a value")]
enum Word {
    Pass,
    Fail,
    Unclear,
}

/// What one criterion came to.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
struct CriterionAnswer {
    /// Its name, as given.
    name: String,
    /// From 0 to 1.
    #[schemars(with = "f64")]
    score: Score,
}

impl LlmEvaluator {
    /// Creates a judge without a rubric: it judges by the task only. Also accepts an `Arc<dyn TextModel>`.
    pub fn new(model: impl TextModel + 'static) -> Self {
        Self {
            model: Arc::new(model),
            name: "llm_evaluator".into(),
            system_prompt: None,
            rubric: None,
            criteria: None,
            budget: BUDGET,
            max_tokens: Some(MAX_TOKENS),
            temperature: None,
            repairs: DEFAULT_REPAIRS,
            fence: Arc::new(Fence::random),
        }
    }

    /// Sets the requirements for an attempt. The prompt presents them as trusted instructions, so they must not contain
    /// text from a run.
    #[must_use]
    pub fn rubric(mut self, rubric: impl Into<String>) -> Self {
        self.rubric = Some(rubric.into()).filter(|rubric| !rubric.trim().is_empty());
        self
    }

    /// Lets the model score each of these criteria. [`Criteria::weigh`] computes the verdict and the score. A criterion
    /// without a score in the answer counts as not judged.
    #[must_use]
    pub fn criteria(mut self, criteria: Criteria) -> Self {
        self.criteria = Some(criteria);
        self
    }

    /// Sets the name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Replaces the system prompt. An empty text selects the default.
    #[must_use]
    pub fn with_system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into()).filter(|prompt| !prompt.trim().is_empty());
        self
    }

    /// Sets the maximum number of tokens of the trajectory in the prompt. Default: 8,000.
    #[must_use]
    pub fn with_budget(mut self, tokens: usize) -> Self {
        self.budget = tokens;
        self
    }

    /// Sets the maximum length of the answer in tokens. `None` for the default of the provider. Default: 2,048.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: Option<u32>) -> Self {
        self.max_tokens = tokens;
        self
    }

    /// The temperature. 0 gives the most repeatable answers. Default: set by the provider.
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

    /// The request to the model. Public, so that callers can inspect a prompt without calling the model.
    pub fn request(&self, task: &Task, attempt: &Attempt) -> ChatRequest {
        let (rubric, criteria) = (self.rubric.as_deref(), self.criteria.as_ref());
        let question = prompt::question(task, attempt, rubric, criteria, self.budget, &*self.fence);
        let rules = self.system_prompt.as_deref().unwrap_or(prompt::SYSTEM);
        let messages = vec![ChatMessage::system(rules), ChatMessage::user(question)];
        ChatRequest {
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            ..ChatRequest::new(messages)
        }
    }

    /// The schema of the answer. The parser requires only the verdict.
    fn schema(&self) -> OutputSchema {
        let mut schema = OutputSchema::of::<Answer>();
        let mut required = vec!["feedback", "score", "verdict"];
        if self.criteria.is_some() {
            required.push("criteria");
        } else if let Some(Value::Object(properties)) = schema.schema.get_mut("properties") {
            properties.remove("criteria");
        }
        schema.schema["required"] = required.into();
        schema
    }

    fn understood(&self, answer: Structured<Answer>) -> Evaluation {
        let Answer { feedback, score, verdict, criteria: scores } = answer.value;
        let evaluation = match &self.criteria {
            None => Evaluation { score, ..Evaluation::new(verdict) },
            Some(criteria) => criteria.weigh(|name| {
                let same = |given: &&CriterionAnswer| given.name.trim().eq_ignore_ascii_case(name);
                scores.iter().find(same).map(|given| given.score)
            }),
        };
        let parse = match answer.reading {
            Reading::Clean => Parse::Clean,
            Reading::Repaired | Reading::CutOff => Parse::Repaired,
        };
        Evaluation {
            feedback: Some(feedback).filter(|feedback| !feedback.trim().is_empty()),
            by: EvaluatedBy::Judge,
            parse,
            usage: answer.usage,
            calls: answer.calls,
            ..evaluation
        }
    }
}

#[async_trait]
impl Evaluator for LlmEvaluator {
    fn name(&self) -> &str {
        &self.name
    }

    async fn evaluate(&self, task: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
        let request = self.request(task, attempt);
        match self.model.structured_with::<Answer>(request, self.schema(), self.repairs).await {
            Ok(answer) => Ok(self.understood(answer)),
            Err(StructuredError { error, raw: Some(raw), usage, calls })
                if error.remedy == Remedy::Unreadable =>
            {
                tracing::debug!(evaluator = self.name, "the verdict could not be read: {error}");
                // One verdict word says nothing about the single criteria.
                let verdict = if self.criteria.is_none() { Verdict::in_text(&raw) } else { Verdict::Unclear };
                Ok(Evaluation {
                    feedback: Some(raw.trim().to_owned()).filter(|text| !text.is_empty()),
                    by: EvaluatedBy::Judge,
                    parse: Parse::Fallback { raw },
                    usage,
                    calls,
                    ..Evaluation::new(verdict)
                })
            }
            Err(StructuredError { error, usage, .. }) => {
                Err(EvaluationError::Model { evaluator: self.name.clone(), source: error, usage })
            }
        }
    }
}

impl fmt::Debug for LlmEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("LlmEvaluator");
        shown.field("name", &self.name).field("model", &self.model.name()).field("rubric", &self.rubric);
        shown.finish_non_exhaustive()
    }
}

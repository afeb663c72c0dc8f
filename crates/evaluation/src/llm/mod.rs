//! A judge: an evaluator that asks a model.

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

use crate::{Attempt, Criteria, EvaluatedBy, Evaluation, EvaluationError, Evaluator, Score, Task, Verdict};

/// A verdict needs a tenth of it; the rest is for models that think.
const MAX_TOKENS: u32 = 2_048;
/// How many tokens of trajectory a judge is shown unless told otherwise: a third of what a deep reflection reads.
const BUDGET: usize = 8_000;

/// An [`Evaluator`] that asks a [`TextModel`] for verdict, score and feedback in one call.
///
/// An answer of the wrong shape is sent back once; then [`Verdict::in_text`] reads it, and what that cannot read is
/// unclear. A model that does not answer at all is an error.
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

/// The words that are asked for; more are understood.
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
    /// A judge without a rubric: the task alone says what is asked. Takes an `Arc<dyn TextModel>` as well.
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

    /// What an attempt has to meet. It is shown as your own words, so it must not come from a run.
    #[must_use]
    pub fn rubric(mut self, rubric: impl Into<String>) -> Self {
        self.rubric = Some(rubric.into()).filter(|rubric| !rubric.trim().is_empty());
        self
    }

    /// Scores for each of these; the verdict and the score then follow from [`Criteria::weigh`]. A criterion that the
    /// model leaves out is not judged.
    #[must_use]
    pub fn criteria(mut self, criteria: Criteria) -> Self {
        self.criteria = Some(criteria);
        self
    }

    /// Another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Other rules for the model. An empty text means the default ones.
    #[must_use]
    pub fn with_system_prompt(mut self, prompt: impl Into<String>) -> Self {
        self.system_prompt = Some(prompt.into()).filter(|prompt| !prompt.trim().is_empty());
        self
    }

    /// How many tokens of trajectory the model is shown. Unless set, 8,000.
    #[must_use]
    pub fn with_budget(mut self, tokens: usize) -> Self {
        self.budget = tokens;
        self
    }

    /// The longest answer, in tokens. None leaves it to the provider. Unless set, 2,048.
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

    /// What the model is asked. Public so that a prompt can be looked at before it is paid for.
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

    /// The shape of an answer. The reader insists on the verdict alone.
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
                // One word cannot stand for several criteria.
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

//! The lesson of a run: from the reviewer, from a model, or composed without one.

use std::time::Instant;

use reflect_model::{
    ChatRequest, ModelError, Reading, Remedy, Structured, StructuredError, TextModel, TextModelExt, Usage,
};
use reflect_store::{LearnInput, LearnJob, ModelCost, ProjectCtx};
use reflect_types::{CrashPoint, MemoryId};
use reflection_pipeline::trajectory::{self, Fence};

use super::error::LearnError;
use super::feedback::reviewer_words;
use super::model_lesson::{ReviewerWords, cleaned, lesson_text};
use super::offline;
use super::prompt::{self, LessonAnswer};
use super::validation::{Rejection, Reviewed, validate};
use crate::budget::{TokenBudget, cost};
use crate::learning_settings::LearningSettings;
use crate::lessons::{LessonDraft, Origin, authored_lesson, tidy, tools_used};
use crate::models::{Breaker, PROVIDER_PAUSED, TextModels};

/// A lesson.
pub(super) struct WrittenLesson {
    pub(super) lesson: LessonDraft,
    /// What it cost, if a model has just written it. It must be stored as a draft then.
    pub(super) cost: Option<ModelCost>,
}

/// Finds the lesson of a run.
#[derive(Debug, Clone)]
pub(super) struct LessonWriter {
    models: TextModels,
    budget: TokenBudget,
    settings: LearningSettings,
}

impl LessonWriter {
    pub(super) const fn new(models: TextModels, budget: TokenBudget, settings: LearningSettings) -> Self {
        Self { models, budget, settings }
    }

    /// The lesson of a run, from the first source that has one: the review, the stored draft, the model, or the outcome
    /// and feedback alone if there is no model.
    pub(super) async fn lesson(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
    ) -> Result<WrittenLesson, LearnError> {
        let without_cost = |lesson| Ok(WrittenLesson { lesson, cost: None });
        if let Some(authored) = &input.authored {
            return without_cost(authored_lesson(authored.clone(), &input.trajectory));
        }
        if let Some(lesson) = input.draft.clone().and_then(|draft| serde_json::from_value(draft).ok()) {
            return without_cost(lesson);
        }
        let Some((model, breaker)) = self.models.text() else {
            return without_cost(offline::lesson(input, None));
        };
        self.budget.check(project, job.project()).await?;
        let (lesson, cost) = self.ask(project, (model.as_ref(), breaker), input).await?;
        Ok(WrittenLesson { lesson, cost: Some(cost) })
    }

    /// Asks the model. A lesson that cannot be used is asked for once more, and then replaced by one without a model.
    async fn ask(
        &self,
        project: &ProjectCtx,
        writer: Writer<'_>,
        input: &LearnInput,
    ) -> Result<(LessonDraft, ModelCost), LearnError> {
        let words = reviewer_words(input.feedback.as_deref());
        let words = words.as_deref();
        let mut request = self.request(input, words);
        let (mut usage, mut calls) = (Usage::default(), 0);
        let mut rejected: Option<Rejection> = None;
        loop {
            let answer = match call(writer, request.clone()).await {
                Ok(answer) => answer,
                Err(StructuredError { error, usage: used, calls: made, .. }) => {
                    usage += used;
                    calls += made;
                    if let (Some(first), Remedy::Unreadable) = (&rejected, error.remedy) {
                        let reason = format!(
                            "{}; then no reflection could be written: {error}",
                            rejection_text(first)
                        );
                        return Ok((offline::lesson(input, Some(&reason)), cost(usage, calls)));
                    }
                    if usage != Usage::default() {
                        project.learning().spend(cost(usage, calls)).await?;
                    }
                    return Err(LearnError::Reflection(error));
                }
            };
            usage += answer.usage;
            calls += answer.calls;
            let value = cleaned(answer.value);
            let reviewed = Reviewed { task: &input.task, result: input.result, words };
            let Err(rejection) = validate(&value, &reviewed) else {
                let note =
                    rejected.map(|first| rejection_text(&first)).or_else(|| reading_note(answer.reading));
                let name = answer.model.replace('\0', "");
                let origin = Origin::Model { name, prompt_version: prompt::PROMPT_VERSION, note };
                return Ok((model_lesson(value, words, origin, input), cost(usage, calls)));
            };
            metrics::counter!("reflect_lessons_rejected_total", "reason" => rejection.label()).increment(1);
            let reason = rejection.describe();
            tracing::warn!(trace.id = %input.trace_id, reason, "a lesson of the model was rejected: {reason}");
            if let Some(first) = rejected {
                let reason = rejections_text(&first, &rejection);
                return Ok((offline::lesson(input, Some(&reason)), cost(usage, calls)));
            }
            request = prompt::again(request, &reason);
            rejected = Some(rejection);
        }
    }

    fn request(&self, input: &LearnInput, words: Option<&str>) -> ChatRequest {
        let messages = trajectory::messages(&input.trajectory);
        let record = trajectory::render(&messages, self.settings.trajectory_tokens);
        prompt::question(input, words, &record.text, &Fence::random(), self.settings.reflection_tokens)
    }
}

/// The model, with its circuit breaker.
type Writer<'a> = (&'a dyn TextModel, &'a Breaker);

async fn call(
    (model, breaker): Writer<'_>,
    request: ChatRequest,
) -> Result<Structured<LessonAnswer>, StructuredError> {
    if let Err(rest) = breaker.enter(Instant::now()) {
        let error = ModelError::retry_later(PROVIDER_PAUSED, Some(rest));
        return Err(StructuredError { error, raw: None, usage: Usage::default(), calls: 0 });
    }
    CrashPoint::LearnModel.before();
    let answer = model.structured(request).await;
    CrashPoint::LearnModel.after();
    match &answer {
        Err(StructuredError { error: ModelError { remedy: Remedy::RetryLater { after }, .. }, .. }) => {
            breaker.failed(*after, Instant::now());
        }
        _ => breaker.answered(),
    }
    answer
}

fn reading_note(reading: Reading) -> Option<String> {
    match reading {
        Reading::Clean => None,
        Reading::Repaired => Some("the model's first answer could not be read".to_owned()),
        Reading::CutOff => {
            Some("the model reached the limit of tokens; what was complete is kept".to_owned())
        }
    }
}

fn rejection_text(first: &Rejection) -> String {
    format!("the model's first lesson was rejected: {}", first.describe())
}

/// Why both lessons were rejected.
fn rejections_text(first: &Rejection, second: &Rejection) -> String {
    if first == second {
        return format!("two lessons of the model were rejected: {}", first.describe());
    }
    format!("two lessons of the model were rejected: {}; {}", first.describe(), second.describe())
}

fn model_lesson(
    answer: LessonAnswer,
    words: Option<&str>,
    origin: Origin,
    input: &LearnInput,
) -> LessonDraft {
    let used = used(answer.used_memory_ids.as_deref(), input);
    let text = tidy(lesson_text(answer, ReviewerWords { words, by: input.by }));
    LessonDraft { text, origin, used, tools_used: tools_used(&input.trajectory) }
}

/// The memories that the model says were used. Ids that it was not shown are ignored; if only such ids are named,
/// nothing is known.
fn used(named: Option<&[String]>, input: &LearnInput) -> Option<Vec<MemoryId>> {
    let named = named.filter(|_| !input.shown.is_empty())?;
    let ids = named.iter().filter_map(|id| id.trim().parse::<MemoryId>().ok());
    let shown: Vec<MemoryId> =
        ids.filter(|id| input.shown.iter().any(|memory| memory.memory_id == *id)).collect();
    (named.is_empty() || !shown.is_empty()).then_some(shown)
}

//! Who writes the lesson: whoever reviewed the run, a model, or nobody.

use std::time::Instant;

use reflect_model::{Reading, Remedy, StructuredError, TextModel, TextModelExt, Usage};
use reflect_store::{Cost, LearnInput, LearnJob, ProjectCtx};
use reflect_types::{MemoryId, ProjectId};
use reflection_pipeline::trajectory::{self, Fence};
use serde_json::Value;

use super::lesson::{AuthoredLesson, Lesson, Origin, tidy};
use super::prompt::{self, LessonAnswer};
use super::{Obstacle, offline};
use crate::{Engine, manage_project};

impl Engine {
    /// The lesson of a run, from the first of these: written along with the review, paid for before,
    /// written by a model now, put together without one.
    pub(super) async fn lesson(
        &self,
        project: &ProjectCtx,
        job: LearnJob,
        input: &LearnInput,
    ) -> Result<Lesson, Obstacle> {
        if let Some(authored) = &input.authored {
            return Ok(authored_lesson(authored.clone(), &input.trajectory));
        }
        if let Some(lesson) = input.draft.clone().and_then(|draft| serde_json::from_value(draft).ok()) {
            return Ok(lesson);
        }
        let Some(model) = self.models.models.text.clone() else { return Ok(offline::lesson(input, None)) };
        self.check_budget(project, job.project()).await?;
        let (lesson, cost) = self.ask(project, model.as_ref(), input).await?;
        let draft = serde_json::to_value(&lesson).unwrap_or_default();
        project.keep_draft(job.review_id, &draft, cost).await?;
        Ok(lesson)
    }

    /// Whether models may still be paid for today.
    pub(crate) async fn check_budget(&self, project: &ProjectCtx, id: ProjectId) -> Result<(), Obstacle> {
        let facts = self.facts(id).await?;
        let own = manage_project::read(&facts.settings).daily_tokens;
        let Some(tokens) = own.or(self.settings.learning.daily_tokens) else { return Ok(()) };
        let (spent, rest) = project.spent_today().await?;
        if u64::try_from(spent).unwrap_or(0) < tokens {
            Ok(())
        } else {
            Err(Obstacle::Budget { tokens, rest })
        }
    }

    async fn ask(
        &self,
        project: &ProjectCtx,
        model: &dyn TextModel,
        input: &LearnInput,
    ) -> Result<(Lesson, Cost), Obstacle> {
        let breaker = &self.models.text_breaker;
        if let Err(rest) = breaker.enter(Instant::now()) {
            let message = "the model provider does not answer and is left alone for a while";
            return Err(Obstacle::Reflection(reflect_model::ModelError::retry_later(message, Some(rest))));
        }
        let settings = &self.settings.learning;
        let messages = trajectory::messages(&input.trajectory);
        let record = trajectory::render(&messages, settings.trajectory_tokens);
        let question = prompt::question(input, &record.text, &Fence::random(), settings.reflection_tokens);
        match model.structured::<LessonAnswer>(question).await {
            Ok(answer) => {
                breaker.answered();
                let note = match answer.reading {
                    Reading::Clean => None,
                    Reading::Repaired => Some("the model's first answer could not be read".to_owned()),
                    Reading::CutOff => {
                        Some("the model reached the limit of tokens; what was complete is kept".to_owned())
                    }
                };
                let name = answer.model.replace('\0', "");
                let origin = Origin::Model { name, prompt_version: prompt::PROMPT_VERSION, note };
                Ok((model_lesson(answer.value, origin, input), cost(answer.usage, answer.calls)))
            }
            Err(failed) => {
                match failed.error.remedy {
                    Remedy::RetryLater { after } => breaker.failed(after, Instant::now()),
                    Remedy::DoNotRetry | Remedy::Unreadable => breaker.answered(),
                }
                let StructuredError { error, usage, calls, .. } = failed;
                if usage != Usage::default() {
                    project.spend(cost(usage, calls)).await?;
                }
                Err(Obstacle::Reflection(error))
            }
        }
    }
}

/// The lesson that came with a review.
pub(crate) fn authored_lesson(authored: Value, trajectory: &str) -> Lesson {
    let text: AuthoredLesson = serde_json::from_value(authored).unwrap_or_default();
    Lesson { text, origin: Origin::Author, used: None, tools_used: tools_used(trajectory) }
}

/// The tools that a run called, by name.
pub(super) fn tools_used(trajectory: &str) -> Vec<String> {
    trajectory::tool_names(&trajectory::messages(trajectory))
}

fn model_lesson(answer: LessonAnswer, origin: Origin, input: &LearnInput) -> Lesson {
    let used = used(answer.used_memory_ids.as_deref(), input);
    // Before it is kept: what a model writes may hold what a database does not take.
    let mut text = tidy(AuthoredLesson {
        summary: answer.summary,
        guidance: answer.guidance,
        key_mistake: answer.key_mistake,
        correct_action: answer.correct_action,
        applicable_tools: answer.applicable_tools,
    });
    // A model may fill a form with nothing.
    if text.check().is_err() {
        text.summary = offline::lesson(input, None).text.summary;
    }
    Lesson { text, origin, used, tools_used: tools_used(&input.trajectory) }
}

/// What was paid, as it is written down.
pub(crate) fn cost(usage: Usage, calls: u32) -> Cost {
    let tokens = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    Cost {
        calls: i32::try_from(calls).unwrap_or(i32::MAX),
        input_tokens: tokens(usage.input_tokens),
        output_tokens: tokens(usage.output_tokens),
    }
}

/// What a model says was used, as far as that makes sense. Only ids that are none of those it was shown are
/// no answer at all.
fn used(named: Option<&[String]>, input: &LearnInput) -> Option<Vec<MemoryId>> {
    let named = named.filter(|_| !input.shown.is_empty())?;
    let ids = named.iter().filter_map(|id| id.trim().parse::<MemoryId>().ok());
    let shown: Vec<MemoryId> =
        ids.filter(|id| input.shown.iter().any(|memory| memory.memory_id == *id)).collect();
    (named.is_empty() || !shown.is_empty()).then_some(shown)
}

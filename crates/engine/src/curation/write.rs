//! Writing a memory without a run.

use reflect_rules::lessons::{AdviceText, NewSituation, SituationKind, advice_key, place};
use reflect_store::{AuditActor, Claim, Curated, LessonPlan, NewMemoryRow};
use reflect_types::{MemoryId, MemoryOrigin, Trust};
use serde_json::{Map, Value};

use super::service::Curation;
use crate::caller::Visitor;
use crate::client_text::{check_metadata, check_task, storable, storable_fields};
use crate::error::EngineError;
use crate::lessons::{AuthoredLesson, compose, tidy};
use crate::operations::{operation, traced};
use crate::project_cache;

/// A lesson that a person writes.
#[derive(Debug, Clone)]
pub struct ManualLesson {
    /// The task of the lesson.
    pub task: String,
    /// The lesson.
    pub lesson: AuthoredLesson,
    /// Whether the lesson is about a success, if known.
    pub success: Option<bool>,
    /// Metadata for filters.
    pub metadata: Map<String, Value>,
}

impl Curation {
    /// Stores a lesson that a person wrote.
    pub async fn write(
        &self,
        visitor: &Visitor,
        written: ManualLesson,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<Curated, EngineError> {
        let span = operation!("create_memory", reflect.project = %visitor.slug);
        traced(span, Box::pin(self.store_written(visitor, written, actor, claim)), |_, _| {}).await
    }

    async fn store_written(
        &self,
        visitor: &Visitor,
        written: ManualLesson,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<Curated, EngineError> {
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let written = ManualLesson {
            task: redactor.text("task", written.task)?,
            lesson: redactor.lesson("lesson", written.lesson)?,
            metadata: redactor.fields("metadata", written.metadata)?,
            ..written
        };
        redactor.finish();
        let task = storable(written.task).trim().to_owned();
        check_task(&task)?;
        let metadata = Value::Object(storable_fields(written.metadata));
        check_metadata(&metadata)?;
        written.lesson.check_as("the lesson")?;
        let lesson = tidy(written.lesson);
        let reflection = compose(&lesson);
        let plan = self.own_lesson(visitor, &lesson.correct_action, &reflection).await?;
        let memory = NewMemoryRow {
            memory_id: MemoryId::generate(),
            origin: MemoryOrigin::Manual,
            vectors: self.vectors_or_later(visitor.project, &task, &reflection).await?,
            task,
            reflection,
            summary: lesson.summary,
            guidance: lesson.guidance,
            key_mistake: lesson.key_mistake,
            correct_action: lesson.correct_action,
            applicable_tools: lesson.applicable_tools,
            tools_used: Vec::new(),
            success: written.success,
            metadata,
            model: None,
            prompt_version: None,
            note: None,
            replaced: None,
            flags: Vec::new(),
            // An untrusted caller must not add text to every agent's prompt before a person has read it.
            quarantined: visitor.trust == Trust::Untrusted,
            trust: visitor.trust,
            author_key: visitor.key_id,
            used: None,
            expected: None,
            lesson: plan,
        };
        Ok(self.store.project(visitor.project).curation().create(&memory, actor, claim).await?)
    }

    /// A lesson of its own, unless grouping is off. What a person writes joins only a lesson with the same text.
    async fn own_lesson(
        &self,
        visitor: &Visitor,
        correct_action: &str,
        reflection: &str,
    ) -> Result<LessonPlan, EngineError> {
        let facts = self.projects.settings_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).lessons;
        let untrusted = visitor.trust == Trust::Untrusted;
        let new = NewSituation {
            kind: SituationKind::Task,
            settings,
            untrusted,
            quarantined: untrusted,
            followed: &[],
        };
        Ok(LessonPlan {
            advice: advice_key(&AdviceText { correct_action, approach: &[], reflection }),
            placement: place(&new, &[]),
            settings,
            has_words: true,
            ..LessonPlan::default()
        })
    }
}

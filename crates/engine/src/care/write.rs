//! Writing a memory by hand, without a run.

use reflect_store::{Actor, Cared, Claim, NewMemory};
use reflect_types::{MemoryId, MemoryOrigin, Trust};
use serde_json::{Map, Value};

use super::{check_metadata, check_task};
use crate::authenticate::Visitor;
use crate::learn::{compose, tidy};
use crate::submit::{storable, storable_json};
use crate::{AuthoredLesson, Engine, EngineError};

/// A lesson that somebody writes.
#[derive(Debug, Clone)]
pub struct ManualLesson {
    /// The task it is about.
    pub task: String,
    /// The lesson.
    pub lesson: AuthoredLesson,
    /// Whether it is about something that went well, when that can be said.
    pub success: Option<bool>,
    /// What it can be filtered by.
    pub metadata: Map<String, Value>,
}

impl Engine {
    /// Keeps a lesson that somebody wrote by hand.
    pub async fn write_memory(
        &self,
        visitor: &Visitor,
        written: ManualLesson,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<Cared, EngineError> {
        let mut redactor = self.redactor(visitor.project).await?;
        let written = ManualLesson {
            task: redactor.text("task", written.task)?,
            lesson: redactor.lesson("lesson", written.lesson)?,
            metadata: redactor.fields("metadata", written.metadata)?,
            ..written
        };
        redactor.finish();
        let task = storable(written.task).trim().to_owned();
        check_task(&task)?;
        let metadata = storable_json(Value::Object(written.metadata));
        check_metadata(&metadata)?;
        written.lesson.check_as("the lesson")?;
        let lesson = tidy(written.lesson);
        let reflection = compose(&lesson);
        let memory = NewMemory {
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
            flags: Vec::new(),
            // Whoever is not trusted does not put words into every agent's prompt unseen.
            quarantined: visitor.trust == Trust::Untrusted,
            trust: visitor.trust,
            author_key: visitor.key_id,
            used: None,
            expected: None,
        };
        Ok(self.store.project(visitor.project).write_memory(&memory, actor, claim).await?)
    }
}

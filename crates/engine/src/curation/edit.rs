//! Editing a memory: the new text becomes its next version.

use reflect_store::{
    AuditActor, Curated, CurationRequest, MemoryChange, MemoryState, NewText, StoreError, TextFields,
};
use reflect_types::{MemoryId, ProjectId};
use serde_json::{Map, Value, json};

use super::rule;
use super::service::Curation;
use crate::caller::Visitor;
use crate::client_text::{check_metadata, check_task, storable, storable_fields};
use crate::error::EngineError;
use crate::lessons::{AuthoredLesson, compose, tidy};
use crate::memory_indexer::SpaceVectors;
use crate::models::EmbedFailure;

/// Changes of the text of a memory. `None` keeps a field.
#[derive(Debug, Clone, Default)]
pub struct LessonEdit {
    /// The task of the memory.
    pub task: Option<String>,
    /// The lesson in one line.
    pub summary: Option<String>,
    /// What to do next time.
    pub guidance: Option<String>,
    /// What went wrong.
    pub key_mistake: Option<String>,
    /// What should have been done.
    pub correct_action: Option<String>,
    /// The tools or areas it is about.
    pub applicable_tools: Option<Vec<String>>,
    /// All metadata of the memory.
    pub metadata: Option<Map<String, Value>>,
    /// The version that the caller has read; `None` to edit any version.
    pub version: Option<i32>,
}

impl Curation {
    /// Edits the text of a memory.
    pub async fn edit(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        edit: LessonEdit,
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let Some((text, halves)) = self.new_text(visitor, memory, edit).await? else {
            return Ok(Curated::default());
        };
        let request = CurationRequest {
            kind: "memory.edit",
            summary: json!({ "memory_ids": [memory] }),
            memories: &[memory],
            part_of: None,
            text: Some(&text),
        };
        let decide = |states: &[MemoryState]| {
            rule::check_may_rewrite(visitor.trust, states)?;
            states.iter().try_for_each(rule::may_edit).map_err(rule::conflict)?;
            Ok(halves.then_some((memory, MemoryChange::Halved)).into_iter().collect())
        };
        Ok(self.store.project(visitor.project).curation().apply(&request, actor, &decide).await?)
    }

    /// The new text of a memory, and whether its lesson changed. `None` if the text stays the same.
    pub(super) async fn new_text(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        edit: LessonEdit,
    ) -> Result<Option<(NewText, bool)>, EngineError> {
        let edit = self.redacted_edit(visitor, edit).await?;
        let stored = self.store.project(visitor.project).memories().get(memory).await?;
        if edit.version.is_some_and(|version| version != stored.version) {
            return Err(StoreError::Conflict { what: "the memory has been edited since it was read" }.into());
        }
        let fields = edited(&stored.text, edit)?;
        if fields == stored.text {
            return Ok(None);
        }
        let says_other = fields.task != stored.text.task || fields.reflection != stored.text.reflection;
        let halves = says_other || lesson_of(&fields) != lesson_of(&stored.text);
        let vectors = match says_other {
            true => self.vectors_or_later(visitor.project, &fields.task, &fields.reflection).await?,
            false => Vec::new(),
        };
        Ok(Some((NewText { memory_id: memory, instead_of: stored.version, fields, vectors }, halves)))
    }

    async fn redacted_edit(&self, visitor: &Visitor, edit: LessonEdit) -> Result<LessonEdit, EngineError> {
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let edit = LessonEdit {
            task: redactor.optional("task", edit.task)?,
            summary: redactor.optional("summary", edit.summary)?,
            guidance: redactor.optional("guidance", edit.guidance)?,
            key_mistake: redactor.optional("key_mistake", edit.key_mistake)?,
            correct_action: redactor.optional("correct_action", edit.correct_action)?,
            applicable_tools: edit
                .applicable_tools
                .map(|tools| redactor.texts("applicable_tools", tools))
                .transpose()?,
            metadata: edit.metadata.map(|fields| redactor.fields("metadata", fields)).transpose()?,
            version: edit.version,
        };
        redactor.finish();
        Ok(edit)
    }

    /// The vectors of a text. If the embedder does not answer, there are none, and the memory is indexed later.
    pub(super) async fn vectors_or_later(
        &self,
        project: ProjectId,
        task: &str,
        reflection: &str,
    ) -> Result<SpaceVectors, EngineError> {
        match self.indexer.vectors(project, task, reflection).await {
            Ok(vectors) => Ok(vectors),
            Err(EmbedFailure::Store(error)) => Err(error.into()),
            Err(error) => {
                tracing::warn!(%error, "a memory waits for its vector: {error}");
                Ok(Vec::new())
            }
        }
    }
}

/// The text after the edit.
fn edited(text: &TextFields, edit: LessonEdit) -> Result<TextFields, EngineError> {
    let now = text.clone();
    let task = edit.task.map_or(now.task, |task| storable(task).trim().to_owned());
    check_task(&task)?;
    let metadata = match edit.metadata {
        Some(metadata) => Value::Object(storable_fields(metadata)),
        None => now.metadata,
    };
    check_metadata(&metadata)?;
    let lesson = AuthoredLesson {
        summary: edit.summary.unwrap_or(now.summary),
        guidance: edit.guidance.unwrap_or(now.guidance),
        key_mistake: edit.key_mistake.unwrap_or(now.key_mistake),
        correct_action: edit.correct_action.unwrap_or(now.correct_action),
        applicable_tools: edit.applicable_tools.unwrap_or(now.applicable_tools),
    };
    lesson.check_as("the lesson")?;
    let lesson = tidy(lesson);
    // An unchanged lesson keeps its composed text.
    let reflection = if lesson == lesson_of(text) { now.reflection } else { compose(&lesson) };
    Ok(TextFields {
        task,
        reflection,
        summary: lesson.summary,
        guidance: lesson.guidance,
        key_mistake: lesson.key_mistake,
        correct_action: lesson.correct_action,
        applicable_tools: lesson.applicable_tools,
        metadata,
    })
}

fn lesson_of(text: &TextFields) -> AuthoredLesson {
    let text = text.clone();
    AuthoredLesson {
        summary: text.summary,
        guidance: text.guidance,
        key_mistake: text.key_mistake,
        correct_action: text.correct_action,
        applicable_tools: text.applicable_tools,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> TextFields {
        TextFields {
            task: "sort".into(),
            reflection: "as it was brought".into(),
            summary: "s".into(),
            guidance: "g".into(),
            key_mistake: String::new(),
            correct_action: String::new(),
            applicable_tools: vec!["t".into()],
            metadata: json!({ "a": 1 }),
        }
    }

    #[test]
    fn what_is_not_named_stays_and_the_lesson_is_put_together_anew() {
        let edit = LessonEdit { key_mistake: Some(" it was late ".into()), ..LessonEdit::default() };
        let after = edited(&text(), edit).unwrap();
        assert_eq!(after.reflection, "g\nMistake: it was late");
        assert_eq!((after.task.as_str(), after.summary.as_str()), ("sort", "s"));
        assert_eq!(after.metadata, json!({ "a": 1 }));
    }

    #[test]
    fn another_task_or_other_metadata_leave_the_lesson_as_it_was() {
        let edit =
            LessonEdit { task: Some("search".into()), metadata: Some(Map::new()), ..LessonEdit::default() };
        let after = edited(&text(), edit).unwrap();
        assert_eq!((after.reflection.as_str(), after.metadata), ("as it was brought", json!({})));
        assert_eq!(edited(&text(), LessonEdit::default()).unwrap(), text());
    }

    #[test]
    fn a_lesson_without_words_and_an_empty_task_are_refused() {
        let nothing = |edit: LessonEdit| edited(&text(), edit).is_err();
        let empty = Some(String::new());
        assert!(nothing(LessonEdit { summary: empty.clone(), guidance: empty, ..LessonEdit::default() }));
        assert!(nothing(LessonEdit { task: Some(" ".into()), ..LessonEdit::default() }));
    }
}

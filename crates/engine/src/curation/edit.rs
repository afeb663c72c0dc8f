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
use crate::curation_parts::apply_in_parts;
use crate::error::EngineError;
use crate::lessons::{AuthoredLesson, compose, tidy};
use crate::memory_indexer::SpaceVectors;
use crate::models::EmbedFailure;

/// How many situations of a lesson have their evidence halved when its text changes.
const MOST_SITUATIONS: i64 = 100_000;

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

/// What an edit writes.
#[derive(Debug, Default)]
pub(super) struct EditedTexts {
    /// The new texts: of the memory that speaks for the lesson, of the edited memory, or one for both.
    pub(super) texts: Vec<NewText>,
    /// The memories that were tried with another text, by id: their evidence is halved.
    halved: Vec<MemoryId>,
}

/// The new text of one memory.
struct EditedText {
    text: NewText,
    changes_task: bool,
    changes_lesson: bool,
}

impl Curation {
    /// Edits the lesson of a memory, which is shown for all its situations, or the task and metadata of the memory.
    pub async fn edit(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        edit: LessonEdit,
        actor: &AuditActor,
    ) -> Result<Curated, EngineError> {
        let EditedTexts { texts, halved } = self.new_texts(visitor, memory, edit).await?;
        if texts.is_empty() {
            return Ok(Curated::default());
        }
        let edited: Vec<MemoryId> = texts.iter().map(|text| text.memory_id).collect();
        // The texts come last: a call that was interrupted is an edit again when it is repeated. It halves again what it halved.
        let others = halved.iter().filter(|memory| !edited.contains(memory));
        let memories: Vec<MemoryId> = others.chain(&edited).copied().collect();
        let request = CurationRequest {
            kind: "memory.edit",
            summary: json!({ "memory_ids": [memory] }),
            memories: &memories,
            part_of: None,
            texts: &texts,
            regroups: false,
            answers: None,
        };
        let decide = |states: &[MemoryState]| {
            rule::check_may_rewrite(visitor.trust, states)?;
            for state in states {
                match state.memory_id {
                    id if id == memory => rule::may_edit(state).map_err(rule::conflict)?,
                    id if edited.contains(&id) => rule::may_speak(state).map_err(rule::conflict)?,
                    _ => {}
                }
            }
            let ids = states.iter().map(|state| state.memory_id);
            let halved = ids.filter(|id| halved.binary_search(id).is_ok());
            Ok(halved.map(|id| (id, MemoryChange::Halved)).collect())
        };
        let project = self.store.project(visitor.project);
        Ok(apply_in_parts(&project, &request, actor, &decide).await?)
    }

    /// The new texts of an edit; none if everything stays the same. The lesson of a memory is the text of the memory that
    /// speaks for it; task and metadata are its own.
    pub(super) async fn new_texts(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        edit: LessonEdit,
    ) -> Result<EditedTexts, EngineError> {
        let edit = self.redacted_edit(visitor, edit).await?;
        let project = self.store.project(visitor.project);
        let states = project.memories().states(&[memory]).await?;
        let state = states.first().ok_or(StoreError::NotFound { what: "memory" })?;
        let speaker = project.lessons().speaker(memory).await?;
        let mut edited = EditedTexts::default();
        for (id, edit) in split(edit, memory, speaker) {
            let Some(new) = self.new_text(visitor, id, edit).await? else { continue };
            if new.changes_lesson {
                edited.halved.extend([memory, speaker]);
                if let Some(lesson) = state.lesson_id {
                    edited.halved.extend(project.lessons().situations(lesson, MOST_SITUATIONS).await?);
                }
            } else if new.changes_task {
                edited.halved.push(id);
            }
            edited.texts.push(new.text);
        }
        edited.halved.sort();
        edited.halved.dedup();
        Ok(edited)
    }

    /// The new text of one memory; `None` if it stays the same.
    async fn new_text(
        &self,
        visitor: &Visitor,
        memory: MemoryId,
        edit: LessonEdit,
    ) -> Result<Option<EditedText>, EngineError> {
        let (version, text) = self.store.project(visitor.project).memories().own_text(memory).await?;
        if edit.version.is_some_and(|read| read != version) {
            return Err(StoreError::Conflict { what: "the memory has been edited since it was read" }.into());
        }
        let fields = edited(&text, edit)?;
        if fields == text {
            return Ok(None);
        }
        let changes_task = fields.task != text.task;
        let changes_text = fields.reflection != text.reflection;
        let changes_lesson = changes_text || lesson_of(&fields) != lesson_of(&text);
        let vectors = match changes_task || changes_text {
            true => self.vectors_or_later(visitor.project, &fields.task, &fields.reflection).await?,
            false => Vec::new(),
        };
        let text = NewText { memory_id: memory, instead_of: version, fields, vectors };
        Ok(Some(EditedText { text, changes_task, changes_lesson }))
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

/// The memories that an edit of one memory writes, with the fields for each. If another memory speaks for its lesson, that
/// one gets the fields of the lesson, and the version is that of the lesson.
fn split(edit: LessonEdit, memory: MemoryId, speaker: MemoryId) -> Vec<(MemoryId, LessonEdit)> {
    if memory == speaker {
        return vec![(memory, edit)];
    }
    let LessonEdit { task, metadata, .. } = edit;
    let has_own = task.is_some() || metadata.is_some();
    let own = LessonEdit { task, metadata, ..LessonEdit::default() };
    let lesson = LessonEdit { task: None, metadata: None, ..edit };
    let own = has_own.then_some((memory, own));
    std::iter::once((speaker, lesson)).chain(own).collect()
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
    fn the_words_of_a_lesson_go_to_its_speaker_and_the_task_stays_with_the_memory() {
        let (memory, speaker) = (MemoryId::generate(), MemoryId::generate());
        let edit = || LessonEdit {
            task: Some("search".into()),
            summary: Some("s".into()),
            version: Some(2),
            ..LessonEdit::default()
        };
        assert_eq!(split(edit(), memory, memory).len(), 1);
        let parts = split(edit(), memory, speaker);
        let fields: Vec<_> = parts
            .iter()
            .map(|(id, edit)| (*id, edit.task.is_some(), edit.summary.is_some(), edit.version))
            .collect();
        assert_eq!(fields, [(speaker, false, true, Some(2)), (memory, true, false, None)]);
        assert_eq!(split(LessonEdit { task: None, ..edit() }, memory, speaker).len(), 1);
    }

    #[test]
    fn a_lesson_without_words_and_an_empty_task_are_refused() {
        let nothing = |edit: LessonEdit| edited(&text(), edit).is_err();
        let empty = Some(String::new());
        assert!(nothing(LessonEdit { summary: empty.clone(), guidance: empty, ..LessonEdit::default() }));
        assert!(nothing(LessonEdit { task: Some(" ".into()), ..LessonEdit::default() }));
    }
}

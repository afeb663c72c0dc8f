//! Writing a memory without a run.

use reflect_rules::lessons::{AdviceText, NewSituation, SituationKind, advice_key, place};
use reflect_store::{AuditActor, Claim, Curated, ImportedItem, LessonPlan, NewMemoryRow};
use reflect_types::{KeyId, MemoryId, MemoryOrigin, Trust};
use serde_json::{Map, Value, json};
use uuid::{Builder, Uuid};

use super::service::Curation;
use crate::caller::Visitor;
use crate::client_text::{ProjectRedactor, check_metadata, check_task, storable, storable_fields};
use crate::error::EngineError;
use crate::lessons::{AuthoredLesson, compose, flags_of, tidy};
use crate::operations::{operation, traced};
use crate::project_cache;

/// The longest name of an importer, a file or an item, in bytes.
const LONGEST_NAME: usize = 1000;

/// Where an imported lesson comes from.
#[derive(Debug, Clone)]
pub struct ImportSource {
    /// A digest of the item, made by the importer.
    pub key: Uuid,
    /// The importer.
    pub importer: String,
    /// The file.
    pub file: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<u32>,
    /// The id of the item in its source.
    pub item: Option<String>,
}

/// A lesson that a person writes or imports.
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
    /// Where it comes from, if it is imported.
    pub imported: Option<ImportSource>,
}

impl Curation {
    /// Stores a lesson that a person wrote or imported. An imported lesson is quarantined for every caller: no person has
    /// read it here.
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
            imported: written.imported.map(|source| redacted(&mut redactor, source)).transpose()?,
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
        let imported = written.imported.map(|source| item(visitor, source)).transpose()?;
        // An untrusted caller must not add text to every agent's prompt before a person has read it.
        let quarantined = visitor.trust == Trust::Untrusted || imported.is_some();
        let plan = self.own_lesson(visitor, quarantined, &lesson.correct_action, &reflection).await?;
        let (origin, flags) = match imported {
            Some(_) => (MemoryOrigin::Import, flags_of(&task, &lesson)),
            None => (MemoryOrigin::Manual, Vec::new()),
        };
        let store = self.store.project(visitor.project);
        // A repeated import changes nothing, so it must not cost an embedding.
        let is_known = match &imported {
            Some(item) => store.curation().is_imported(item.key).await?,
            None => false,
        };
        let vectors = match is_known {
            true => Vec::new(),
            false => self.vectors_or_later(visitor.project, &task, &reflection).await?,
        };
        let memory = NewMemoryRow {
            memory_id: MemoryId::generate(),
            origin,
            vectors,
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
            flags,
            quarantined,
            trust: visitor.trust,
            author_key: visitor.key_id,
            used: None,
            expected: None,
            lesson: plan,
        };
        Ok(store.curation().create(&memory, imported.as_ref(), actor, claim).await?)
    }

    /// A lesson of its own, unless grouping is off. What a person writes joins only a lesson with the same text.
    async fn own_lesson(
        &self,
        visitor: &Visitor,
        quarantined: bool,
        correct_action: &str,
        reflection: &str,
    ) -> Result<LessonPlan, EngineError> {
        let facts = self.projects.settings_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).lessons;
        let new = NewSituation {
            kind: SituationKind::Task,
            settings,
            untrusted: visitor.trust == Trust::Untrusted,
            quarantined,
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

fn redacted(redactor: &mut ProjectRedactor, source: ImportSource) -> Result<ImportSource, EngineError> {
    Ok(ImportSource {
        importer: redactor.text("imported.importer", source.importer)?,
        file: redactor.optional("imported.file", source.file)?,
        item: redactor.optional("imported.item", source.item)?,
        ..source
    })
}

fn item(visitor: &Visitor, source: ImportSource) -> Result<ImportedItem, EngineError> {
    let ImportSource { key, importer, file, line, item } = source;
    let names = [
        ("imported.importer", Some(&importer)),
        ("imported.file", file.as_ref()),
        ("imported.item", item.as_ref()),
    ];
    for (field, name) in names {
        if name.is_some_and(|name| name.len() > LONGEST_NAME) {
            return Err(EngineError::invalid(field, "must not be longer than 1000 bytes"));
        }
    }
    if importer.trim().is_empty() {
        return Err(EngineError::invalid("imported.importer", "must not be empty"));
    }
    let source = json!({
        "importer": storable(importer), "file": file.map(storable), "line": line, "item": item.map(storable),
    });
    let key = match visitor.trust {
        Trust::Untrusted => own_key(key, visitor.key_id),
        _ => key,
    };
    Ok(ImportedItem { key, source })
}

/// The key of an item of an untrusted caller. Who knows a rule knows its key: with the same one, the caller could keep others
/// from importing the rule.
fn own_key(key: Uuid, caller: KeyId) -> Uuid {
    let mut digest = blake3::Hasher::new();
    digest.update(key.as_bytes()).update(caller.as_uuid().as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize().as_bytes()[..16]);
    Builder::from_random_bytes(bytes).into_uuid()
}

//! Text that clients send: its length is checked, characters that Postgres cannot store are replaced, and secrets and
//! personal data are removed before it is stored, logged or sent to a model.
//!
//! Every service that accepts text gets the project's redactor from [`Redaction::redactor`] and passes each text
//! through it once. Findings are counted by class; their values are not stored.

use reflect_redaction::{Findings, Policy, Redactor, TagKey};
use reflect_store::StoreError;
use reflect_types::{MAX_METADATA_VALUES, PiiMode, ProjectId, json_cost};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::error::EngineError;
use crate::lessons::AuthoredLesson;
use crate::project_cache::{self, ProjectCache};

/// The same limit as for a query: a longer task could be stored but not searched for.
pub(crate) const LONGEST_TASK: usize = 64 * 1024;
const LARGEST_METADATA: usize = 256 * 1024;
/// The metadata field with the subject of a run.
pub(crate) const SUBJECT: &str = "subject";

/// Redacts the texts of one request.
#[derive(Debug, Clone)]
pub(crate) struct ProjectRedactor {
    redactor: Redactor,
    pii: PiiMode,
    findings: Findings,
}

/// Makes the redactor of a project.
#[derive(Debug, Clone)]
pub(crate) struct Redaction {
    projects: ProjectCache,
}

impl Redaction {
    pub(crate) const fn new(projects: ProjectCache) -> Self {
        Self { projects }
    }

    /// The redactor that every text of a client passes through before it is stored.
    pub(crate) async fn redactor(&self, project: ProjectId) -> Result<ProjectRedactor, StoreError> {
        let facts = self.projects.settings_facts(project).await?;
        let settings = project_cache::settings(&facts.settings).redaction;
        let policy = Policy {
            secrets: settings.secrets,
            personal: settings.pii != PiiMode::Off,
            ip_addresses: settings.ip_addresses,
        };
        let redactor = Redactor::new(policy, TagKey::new(facts.tag_key.0));
        Ok(ProjectRedactor { redactor, pii: settings.pii, findings: Findings::default() })
    }
}

impl ProjectRedactor {
    /// Redacts a text.
    pub(crate) fn text(&mut self, field: &'static str, text: String) -> Result<String, EngineError> {
        let mut findings = Findings::default();
        let redacted = self.redactor.text(&text, &mut findings);
        let redacted = match redacted {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(redacted) => Some(redacted),
        };
        self.note(field, &findings)?;
        Ok(redacted.unwrap_or(text))
    }

    /// Redacts an optional text.
    pub(crate) fn optional(
        &mut self,
        field: &'static str,
        text: Option<String>,
    ) -> Result<Option<String>, EngineError> {
        text.map(|text| self.text(field, text)).transpose()
    }

    /// Redacts several texts.
    pub(crate) fn texts(
        &mut self,
        field: &'static str,
        texts: Vec<String>,
    ) -> Result<Vec<String>, EngineError> {
        texts.into_iter().map(|text| self.text(field, text)).collect()
    }

    /// Redacts JSON of any form.
    pub(crate) fn json(
        &mut self,
        field: &'static str,
        json: Box<RawValue>,
    ) -> Result<Box<RawValue>, EngineError> {
        let mut findings = Findings::default();
        let redacted = self.redactor.json(json.get(), &mut findings);
        let redacted = match redacted {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(redacted) => Some(redacted),
        };
        self.note(field, &findings)?;
        match redacted.map(RawValue::from_string) {
            None => Ok(json),
            Some(Ok(redacted)) => Ok(redacted),
            // Has never happened. To refuse is safer than to store the text unredacted.
            Some(Err(_)) => Err(EngineError::invalid(field, "cannot be redacted: it is not valid JSON")),
        }
    }

    /// Redacts metadata. The subject gets a long tag, because different subjects must stay distinct.
    pub(crate) fn fields(
        &mut self,
        field: &'static str,
        mut fields: Map<String, Value>,
    ) -> Result<Map<String, Value>, EngineError> {
        let subject = match fields.get_mut(SUBJECT) {
            Some(Value::String(subject)) => Some(self.subject(field, std::mem::take(subject))?),
            _ => None,
        };
        let json =
            serde_json::value::to_raw_value(&fields).map_err(|error| EngineError::invalid(field, error))?;
        let redacted = self.json(field, json)?;
        let mut fields: Map<String, Value> =
            serde_json::from_str(redacted.get()).map_err(|error| EngineError::invalid(field, error))?;
        if let Some(subject) = subject {
            fields.insert(SUBJECT.to_owned(), Value::String(subject));
        }
        Ok(fields)
    }

    /// Redacts the subject of a run, as it is stored.
    pub(crate) fn subject(&mut self, field: &'static str, subject: String) -> Result<String, EngineError> {
        let mut redaction = Self { redactor: self.redactor.with_long_tags(), ..self.clone() };
        let subject = redaction.text(field, subject)?;
        self.findings = redaction.findings;
        Ok(subject)
    }

    /// Redacts a lesson.
    pub(crate) fn lesson(
        &mut self,
        field: &'static str,
        lesson: AuthoredLesson,
    ) -> Result<AuthoredLesson, EngineError> {
        Ok(AuthoredLesson {
            summary: self.text(field, lesson.summary)?,
            guidance: self.text(field, lesson.guidance)?,
            key_mistake: self.text(field, lesson.key_mistake)?,
            correct_action: self.text(field, lesson.correct_action)?,
            applicable_tools: self.texts(field, lesson.applicable_tools)?,
        })
    }

    /// The number of redactions. Also counts them in the metrics.
    pub(crate) fn finish(&mut self) -> u64 {
        let findings = std::mem::take(&mut self.findings);
        for (class, count) in findings.by_class() {
            metrics::counter!("reflect_redacted_total", "class" => class.name()).increment(count);
        }
        findings.total()
    }

    fn note(&mut self, field: &'static str, findings: &Findings) -> Result<(), EngineError> {
        self.findings += findings;
        match findings.personal() {
            Some(class) if self.pii == PiiMode::Block => Err(EngineError::PersonalData { field, class }),
            _ => Ok(()),
        }
    }
}

/// Replaces NUL, which Postgres text cannot hold. Refusing the whole trace for a NUL in a tool's output would lose more.
pub(crate) fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text }
}

/// Replaces NUL in every string and every key of a JSON value.
pub(crate) fn storable_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(storable(text)),
        Value::Array(items) => Value::Array(items.into_iter().map(storable_json).collect()),
        Value::Object(fields) => Value::Object(storable_fields(fields)),
        other => other,
    }
}

/// The same for the fields of a JSON object.
pub(crate) fn storable_fields(fields: Map<String, Value>) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (storable(name), storable_json(value))).collect()
}

/// Refuses an empty task and one that is too long.
pub(crate) fn check_task(task: &str) -> Result<(), EngineError> {
    if task.trim().is_empty() {
        return Err(EngineError::invalid("task", "must not be empty"));
    }
    if task.len() > LONGEST_TASK {
        return Err(EngineError::invalid("task", "must not be longer than 64 kB"));
    }
    Ok(())
}

/// Refuses feedback that is too long: a model reads all of it.
pub(crate) fn check_feedback(feedback: Option<&str>) -> Result<(), EngineError> {
    if feedback.is_some_and(|text| text.len() > LONGEST_TASK) {
        return Err(EngineError::invalid("feedback_text", "must not be longer than 64 kB"));
    }
    Ok(())
}

/// Refuses metadata that is too large.
pub(crate) fn check_metadata(metadata: &impl serde::Serialize) -> Result<(), EngineError> {
    let text = serde_json::to_string(metadata).map_err(|error| EngineError::invalid("metadata", error))?;
    if text.len() > LARGEST_METADATA {
        return Err(EngineError::invalid("metadata", "must not be larger than 256 kB"));
    }
    if json_cost(text.as_bytes()).exceeds(MAX_METADATA_VALUES) {
        return Err(EngineError::invalid("metadata", "must not have more than 1000 values"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;

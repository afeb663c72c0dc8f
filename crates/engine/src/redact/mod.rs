//! What must not be kept is taken out of what comes in, before it is stored, logged or sent to a model.
//!
//! Every way in asks [`Engine::redactor`] for the project's redactor and passes each text through it once.
//! What was taken out is counted by class and nowhere written down.

use reflect_redaction::{Findings, Policy, Redactor, TagKey};
use reflect_store::StoreError;
use reflect_types::{PiiMode, ProjectId};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{AuthoredLesson, Engine, EngineError, manage_project};

/// The name in a run's metadata that says whom it is about.
pub(crate) const SUBJECT: &str = "subject";

/// Takes out of the texts of one call what the project does not keep.
#[derive(Debug, Clone)]
pub(crate) struct ProjectRedactor {
    redactor: Redactor,
    pii: PiiMode,
    findings: Findings,
}

impl Engine {
    /// What every text of a client passes on its way in.
    pub(crate) async fn redactor(&self, project: ProjectId) -> Result<ProjectRedactor, StoreError> {
        let facts = match self.known.settings.get(&project).await {
            Some(facts) => facts,
            None => self.facts(project).await?,
        };
        let settings = manage_project::read(&facts.settings).redaction;
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
    /// A plain text.
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

    /// A plain text, where there is one.
    pub(crate) fn optional(
        &mut self,
        field: &'static str,
        text: Option<String>,
    ) -> Result<Option<String>, EngineError> {
        text.map(|text| self.text(field, text)).transpose()
    }

    /// Several plain texts.
    pub(crate) fn texts(
        &mut self,
        field: &'static str,
        texts: Vec<String>,
    ) -> Result<Vec<String>, EngineError> {
        texts.into_iter().map(|text| self.text(field, text)).collect()
    }

    /// JSON of any form.
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
            // Never seen, and better refused than stored as it was.
            Some(Err(_)) => Err(EngineError::invalid(field, "cannot be redacted: it is not valid JSON")),
        }
    }

    /// Fields of the client's own. Whom a run is about must stay told apart from all others: its tag is long.
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

    /// Whom a run is about, as it is stored.
    pub(crate) fn subject(&mut self, field: &'static str, subject: String) -> Result<String, EngineError> {
        let mut telling_apart = Self { redactor: self.redactor.telling_apart(), ..self.clone() };
        let subject = telling_apart.text(field, subject)?;
        self.findings = telling_apart.findings;
        Ok(subject)
    }

    /// A lesson that somebody wrote.
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

    /// How much was taken out, which is also counted for whoever runs the server.
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

#[cfg(test)]
mod tests;

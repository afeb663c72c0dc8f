//! Projects: how one is set, and its end.

use std::sync::Arc;

use reflect_store::{Actor, ProjectFacts, StoreError};
use reflect_types::{ChangeRedaction, ProjectId, RedactionSettings, RetentionSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::authenticate::Visitor;
use crate::judge::{JudgeChange, JudgeSettings};
use crate::rank::Ranking;
use crate::{Engine, EngineError};

/// Holding back more than half would be hiding memories, not measuring them.
const MOST_HELD_OUT: f64 = 0.5;

/// What can be set for a project.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectSettings {
    /// How memories are put in order.
    pub ranking: Ranking,
    /// The most tokens that models may be paid for in a day (UTC); the server's own limit when absent.
    pub daily_tokens: Option<u64>,
    /// The share of retrievals that get no memories, so that what memories do can be measured; 0 for none.
    pub holdout_rate: f64,
    /// Who reviews runs that nobody reviews.
    pub judge: JudgeSettings,
    /// What is taken out of texts before they are stored or sent to a model.
    pub redaction: RedactionSettings,
    /// For how many days it keeps things, where that is shorter than the installation does.
    pub retention: RetentionSettings,
}

/// Which settings to change; those that are absent stay.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SettingsChange {
    /// How memories are put in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranking: Option<Ranking>,
    /// The most tokens that models may be paid for in a day; none inside takes the project's own limit away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub daily_tokens: Option<Option<u64>>,
    /// The share of retrievals that get no memories.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holdout_rate: Option<f64>,
    /// Who reviews runs that nobody reviews.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeChange>,
    /// What is taken out of texts. Merged with what was set before.
    #[serde(skip)]
    pub redaction: Option<ChangeRedaction>,
    /// For how many days things are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<RetentionSettings>,
}

impl Engine {
    /// How the visitor's project is set.
    pub async fn project_settings(&self, visitor: &Visitor) -> Result<ProjectSettings, EngineError> {
        Ok(read(&self.store.project_facts(visitor.project).await?.settings))
    }

    /// Changes settings of the visitor's project and says how all of them stand.
    pub async fn change_project(
        &self,
        visitor: &Visitor,
        change: &SettingsChange,
        actor: &Actor,
    ) -> Result<ProjectSettings, EngineError> {
        if change.holdout_rate.is_some_and(|rate| !(0.0..=MOST_HELD_OUT).contains(&rate)) {
            return Err(EngineError::invalid("holdout_rate", "must lie between 0 and 0.5"));
        }
        if let Some(judge) = &change.judge {
            judge.check()?;
        }
        change.retention.map_or(Ok(()), check_retention)?;
        let redaction = change.redaction;
        let rubric = change.judge.as_ref().and_then(|judge| judge.rubric.clone());
        let mut change = serde_json::to_value(change).unwrap_or_default();
        if let Some(rubric) = rubric {
            // A model reads it.
            let mut redactor = self.redactor(visitor.project).await?;
            change["judge"]["rubric"] = redactor.text("judge.rubric", rubric)?.into();
            redactor.finish();
        }
        if let Some(redaction) = redaction {
            let before = self.project_settings(visitor).await?.redaction;
            change["redaction"] = serde_json::to_value(redaction.apply(before)).unwrap_or_default();
        }
        let settings = self.store.project(visitor.project).set(&change, actor).await?;
        self.known.facts.invalidate(&visitor.project).await;
        self.known.settings.invalidate(&visitor.project).await;
        Ok(read(&settings))
    }

    /// Takes the visitor's project out of use. Its rows are removed in the background.
    pub async fn delete_project(&self, visitor: &Visitor, actor: &Actor) -> Result<u64, EngineError> {
        let project = self.store.project(visitor.project);
        let revoked = project.delete_project(visitor.slug.as_str(), actor).await?;
        self.known.forget_project(&visitor.slug).await;
        Ok(revoked)
    }

    /// What has to be known of a project, as of a moment ago.
    pub(crate) async fn facts(&self, project: ProjectId) -> Result<Arc<ProjectFacts>, StoreError> {
        if let Some(facts) = self.known.facts.get(&project).await {
            return Ok(facts);
        }
        let facts = Arc::new(self.store.project_facts(project).await?);
        self.known.settings.insert(project, facts.clone()).await;
        // That it has no space yet changes with its first memory, and must be noticed at once.
        if facts.read_space.is_some() {
            self.known.facts.insert(project, facts.clone()).await;
        }
        Ok(facts)
    }
}

/// A day is the least, so that nobody empties a project by a slip.
fn check_retention(retention: RetentionSettings) -> Result<(), EngineError> {
    let RetentionSettings { traces_days, bodies_days, retrievals_days } = retention;
    if [traces_days, bodies_days, retrievals_days]
        .into_iter()
        .flatten()
        .any(|days| !(1..=3650).contains(&days))
    {
        return Err(EngineError::invalid("retention", "must be between 1 and 3650 days"));
    }
    Ok(())
}

/// Settings of a newer version that this one cannot read are as good as unset.
pub(crate) fn read(settings: &Value) -> ProjectSettings {
    serde_json::from_value(settings.clone()).unwrap_or_default()
}

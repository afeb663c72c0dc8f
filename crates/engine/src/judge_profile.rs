//! The judge of a project: its settings, and which model and rubric it is.

use reflect_store::{JudgeIdentity, StoreError};
use reflect_types::{JudgeSettings, ProjectId};

use crate::judge_settings::judge_identity;
use crate::models::TextModels;
use crate::project_cache::{self, ProjectCache};

/// What to do about a judge whose agreement with people is too low.
pub(crate) const IMPROVE: &str = "Make its rubric more specific, using the runs on which people disagreed; \
    POST /v1/projects/{project_id}/judge/try shows its verdict on a run. Or use another model: --judge-model of the \
    server. Both restart its measurement.";

/// The judge of a project.
#[derive(Debug, Clone)]
pub(crate) struct JudgeProfile {
    pub(crate) settings: JudgeSettings,
    pub(crate) identity: JudgeIdentity,
}

/// Finds the judge of a project.
#[derive(Debug, Clone)]
pub(crate) struct JudgeProfiles {
    projects: ProjectCache,
    models: TextModels,
}

impl JudgeProfiles {
    pub(crate) const fn new(projects: ProjectCache, models: TextModels) -> Self {
        Self { projects, models }
    }

    /// The judge of a project; `None` if it is disabled, there is no model, or the project was deleted.
    pub(crate) async fn active(&self, project: ProjectId) -> Result<Option<JudgeProfile>, StoreError> {
        let facts = match self.projects.facts(project).await {
            Ok(facts) => facts,
            Err(StoreError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let settings = project_cache::settings(&facts.settings).judge;
        let model = self.models.judge().filter(|_| settings.enabled);
        Ok(model
            .map(|(model, _)| JudgeProfile { identity: judge_identity(&settings, model.name()), settings }))
    }
}

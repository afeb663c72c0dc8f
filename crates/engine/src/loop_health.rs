//! The health of a project's learning loop, computed from what is stored.

use std::time::SystemTime;

use reflect_store::{ProjectCtx, Store, StoreError};
use reflect_types::ProjectId;

use crate::health::{LearningHealth, LessonFacts};
use crate::judge_profile::JudgeProfiles;
use crate::project_cache::{self, ProjectCache};

/// Computes the health of learning loops.
#[derive(Debug, Clone)]
pub(crate) struct LoopHealthReader {
    store: Store,
    projects: ProjectCache,
    profiles: JudgeProfiles,
}

impl LoopHealthReader {
    pub(crate) const fn new(store: Store, projects: ProjectCache, profiles: JudgeProfiles) -> Self {
        Self { store, projects, profiles }
    }

    /// The health of a project's loop.
    pub(crate) async fn of(&self, project: ProjectId) -> Result<LearningHealth, StoreError> {
        let judge = self.profiles.active(project).await?.map(|judge| judge.identity);
        let settings = self.projects.settings_facts(project).await?;
        let infers_use = project_cache::settings(&settings.settings).lessons.infer_use;
        let project = self.store.project(project);
        let facts = project.insights().loop_facts(judge.as_ref()).await?;
        Ok(LearningHealth::of(&facts, &lesson_facts(&project, infers_use).await?))
    }
}

async fn lesson_facts(project: &ProjectCtx, infers_use: bool) -> Result<LessonFacts, StoreError> {
    let statistics = project.lessons().statistics().await?;
    let grouping_for = statistics
        .grouping_since
        .map(|since| SystemTime::now().duration_since(SystemTime::from(since)).unwrap_or_default());
    Ok(LessonFacts {
        open_questions: project.lessons().questions().count_open().await?,
        uses: infers_use.then_some(statistics.uses),
        grouping: Some(statistics.grouping),
        grouping_for,
    })
}

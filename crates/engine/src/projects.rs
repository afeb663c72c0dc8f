//! Projects: list, create, change settings, delete.

use std::ops::RangeInclusive;

use reflect_store::{AuditActor, ProjectRow, Store, StoreError};
use reflect_types::{ChangeOtlp, ChangeProject, ProjectSettings, ProjectSlug, RetentionSettings};

use crate::auth_cache::AuthCache;
use crate::caller::{MemberHolder, Visitor};
use crate::client_text::Redaction;
use crate::error::EngineError;
use crate::judge_settings;
use crate::project_cache::{self, ProjectCache};
use crate::signal_settings;

/// A larger share would hide memories instead of measuring them.
const MOST_HELD_OUT: f64 = 0.5;
/// The spans of a run are in memory while the run is built.
const RUN_BYTES: RangeInclusive<u32> = 64 * 1024..=64 * 1024 * 1024;

/// Manages projects.
#[derive(Debug, Clone)]
pub struct Projects {
    store: Store,
    cache: ProjectCache,
    auth: AuthCache,
    redaction: Redaction,
}

impl Projects {
    pub(crate) const fn new(
        store: Store,
        cache: ProjectCache,
        auth: AuthCache,
        redaction: Redaction,
    ) -> Self {
        Self { store, cache, auth, redaction }
    }

    /// The projects that the member may see, by name.
    pub async fn list_visible(&self, holder: &MemberHolder) -> Result<Vec<ProjectRow>, EngineError> {
        Ok(self.store.catalogue().project_rows(holder.member().access.visible().as_deref()).await?)
    }

    /// Creates a project.
    pub async fn create(
        &self,
        holder: &MemberHolder,
        slug: &ProjectSlug,
        actor: &AuditActor,
    ) -> Result<ProjectRow, EngineError> {
        holder.check_manages_members()?;
        if self.store.catalogue().find_project(slug).await?.is_some() {
            return Err(StoreError::Conflict { what: "there is a project of this name" }.into());
        }
        let project = self.store.catalogue().ensure_project(slug, actor).await?;
        let mut rows = self.store.catalogue().project_rows(Some(&[project])).await?;
        rows.pop().ok_or_else(|| StoreError::NotFound { what: "project" }.into())
    }

    /// The settings of the caller's project.
    pub async fn settings(&self, visitor: &Visitor) -> Result<ProjectSettings, EngineError> {
        Ok(project_cache::settings(&self.store.catalogue().project_facts(visitor.project).await?.settings))
    }

    /// Changes settings of the caller's project and returns all of them.
    pub async fn update(
        &self,
        visitor: &Visitor,
        change: &ChangeProject,
        actor: &AuditActor,
    ) -> Result<ProjectSettings, EngineError> {
        check(change)?;
        let (redaction, lessons, otlp) = (change.redaction, change.lessons, change.otlp);
        let signals = change.signals.clone();
        let rubric = change.judge.as_ref().and_then(|judge| judge.rubric.clone());
        let mut change = serde_json::to_value(change).unwrap_or_default();
        if let Some(rubric) = rubric {
            // The rubric is sent to a model.
            let mut redactor = self.redaction.redactor(visitor.project).await?;
            change["judge"]["rubric"] = redactor.text("judge.rubric", rubric)?.into();
            redactor.finish();
        }
        if let Some(redaction) = redaction {
            let before = self.settings(visitor).await?.redaction;
            change["redaction"] = serde_json::to_value(redaction.apply(before)).unwrap_or_default();
        }
        if let Some(lessons) = lessons {
            let before = self.settings(visitor).await?.lessons;
            change["lessons"] = serde_json::to_value(lessons.apply(before)).unwrap_or_default();
        }
        if let Some(signals) = signals {
            let changed = signals.apply(self.settings(visitor).await?.signals);
            signal_settings::check_changed(&changed)?;
            change["signals"] = serde_json::to_value(changed).unwrap_or_default();
        }
        if let Some(otlp) = otlp {
            let before = self.settings(visitor).await?.otlp;
            change["otlp"] = serde_json::to_value(otlp.apply(before)).unwrap_or_default();
        }
        let settings = self.store.project(visitor.project).admin().update_settings(&change, actor).await?;
        self.cache.invalidate_settings(visitor.project).await;
        Ok(project_cache::settings(&settings))
    }

    /// Deletes the caller's project and returns how many keys were revoked. Its rows are removed in the background.
    pub async fn delete(&self, visitor: &Visitor, actor: &AuditActor) -> Result<u64, EngineError> {
        let project = self.store.project(visitor.project);
        let revoked = project.admin().delete(visitor.slug.as_str(), actor).await?;
        self.auth.invalidate_project(&visitor.slug).await;
        Ok(revoked)
    }
}

/// Refuses values that are out of range.
fn check(change: &ChangeProject) -> Result<(), EngineError> {
    if change.holdout_rate.is_some_and(|rate| !(0.0..=MOST_HELD_OUT).contains(&rate)) {
        return Err(EngineError::invalid("holdout_rate", "must lie between 0 and 0.5"));
    }
    if let Some(judge) = &change.judge {
        judge_settings::check(judge)?;
    }
    if let Some(signals) = &change.signals {
        signal_settings::check(signals)?;
    }
    change.otlp.map_or(Ok(()), check_otlp)?;
    change.retention.map_or(Ok(()), check_retention)
}

fn check_otlp(otlp: ChangeOtlp) -> Result<(), EngineError> {
    let ChangeOtlp { sample_rate, grace_seconds, quiet_seconds, max_run_bytes } = otlp;
    let problem = if sample_rate.is_some_and(|rate| !(0.0..=1.0).contains(&rate)) {
        ("otlp.sample_rate", "must lie between 0 and 1")
    } else if grace_seconds.is_some_and(|seconds| seconds > 3600) {
        ("otlp.grace_seconds", "must be between 0 and 3600")
    } else if quiet_seconds.is_some_and(|seconds| !(1..=86_400).contains(&seconds)) {
        ("otlp.quiet_seconds", "must be between 1 and 86400")
    } else if max_run_bytes.is_some_and(|bytes| !RUN_BYTES.contains(&bytes)) {
        ("otlp.max_run_bytes", "must be between 65536 and 67108864")
    } else {
        return Ok(());
    };
    Err(EngineError::invalid(problem.0, problem.1))
}

/// At least one day, to prevent an accidental removal of everything.
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

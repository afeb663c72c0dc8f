//! Projects.

use reflect_api::{ChangeProject, Project};
use reflect_engine::{ProjectSettings, SettingsChange};
use reflect_types::ProjectSlug;

pub(crate) fn project(slug: &ProjectSlug, settings: ProjectSettings) -> Project {
    Project {
        project_id: slug.to_string(),
        ranking: settings.ranking,
        daily_tokens: settings.daily_tokens,
        holdout_rate: settings.holdout_rate,
        redaction: settings.redaction,
        retention: settings.retention,
    }
}

pub(crate) const fn settings_change(request: ChangeProject) -> SettingsChange {
    SettingsChange {
        ranking: request.ranking,
        daily_tokens: request.daily_tokens,
        holdout_rate: request.holdout_rate,
        redaction: request.redaction,
        retention: request.retention,
    }
}

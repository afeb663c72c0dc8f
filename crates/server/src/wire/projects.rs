//! Projects.

use reflect_api::{ChangeProject, Project};
use reflect_engine::{ProjectSettings, SettingsChange};
use reflect_types::ProjectSlug;

use crate::wire;

pub(crate) fn project(slug: &ProjectSlug, settings: ProjectSettings) -> Project {
    Project {
        project_id: slug.to_string(),
        ranking: settings.ranking,
        daily_tokens: settings.daily_tokens,
        holdout_rate: settings.holdout_rate,
        judge: wire::project_judge(settings.judge),
        redaction: settings.redaction,
        retention: settings.retention,
    }
}

pub(crate) fn settings_change(request: ChangeProject) -> SettingsChange {
    SettingsChange {
        ranking: request.ranking,
        daily_tokens: request.daily_tokens,
        holdout_rate: request.holdout_rate,
        judge: request.judge.map(wire::judge_change),
        redaction: request.redaction,
        retention: request.retention,
    }
}

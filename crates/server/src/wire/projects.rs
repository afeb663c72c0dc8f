//! Projects.

use reflect_api::Project;
use reflect_types::{ProjectSettings, ProjectSlug};

pub(crate) fn project(slug: &ProjectSlug, settings: ProjectSettings) -> Project {
    Project {
        project_id: slug.to_string(),
        ranking: settings.ranking,
        daily_tokens: settings.daily_tokens,
        holdout_rate: settings.holdout_rate,
        judge: settings.judge,
        redaction: settings.redaction,
        retention: settings.retention,
        lessons: settings.lessons,
        signals: settings.signals,
        otlp: settings.otlp,
    }
}

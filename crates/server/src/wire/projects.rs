//! Projects.

use reflect_api::{ChangeProject, Project};
use reflect_engine::{ProjectSettings, Ranking, SettingsChange};
use reflect_types::ProjectSlug;

use crate::http::ApiError;

pub(crate) fn project(slug: &ProjectSlug, settings: ProjectSettings) -> Project {
    let ranking = match settings.ranking {
        Ranking::Classic => "classic",
    };
    Project { project_id: slug.to_string(), ranking: ranking.to_owned(), daily_tokens: settings.daily_tokens }
}

pub(crate) fn settings_change(request: ChangeProject) -> Result<SettingsChange, ApiError> {
    let ranking = match request.ranking.as_deref() {
        None => None,
        Some("classic") => Some(Ranking::Classic),
        Some(_) => return Err(ApiError::invalid("ranking must be classic")),
    };
    Ok(SettingsChange { ranking, daily_tokens: request.daily_tokens })
}

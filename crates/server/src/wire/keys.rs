//! Keys.

use std::time::Duration;

use reflect_api::{ApiKey, Bootstrap, CreateApiKey, CreatedApiKey, RotateApiKey};
use reflect_engine::{FirstKey, KeyExpiry, KeyRequest, KeyRotation, NewlyMadeKey};
use reflect_store::KeyRow;
use reflect_types::{Environment, Trust};

use crate::error::ApiError;

pub(crate) fn key_request(request: CreateApiKey) -> Result<KeyRequest, ApiError> {
    let expiry = match (request.expires_at, request.expires_in_days) {
        (Some(_), Some(_)) => {
            return Err(ApiError::invalid("send either expires_at or expires_in_days, not both"));
        }
        (Some(at), None) => KeyExpiry::At(at),
        (None, days) => days.map_or(KeyExpiry::Default, KeyExpiry::Days),
    };
    Ok(KeyRequest {
        label: request.label,
        scopes: request.scopes,
        environment: request.environment.unwrap_or(Environment::Live),
        trust: request.trust.unwrap_or(Trust::Normal),
        expiry,
        address_ranges: request.address_ranges.unwrap_or_default(),
    })
}

pub(crate) fn rotation(request: &RotateApiKey) -> KeyRotation {
    let default = KeyRotation::default();
    let hours = request.overlap_hours.map(|hours| Duration::from_secs(u64::from(hours) * 60 * 60));
    KeyRotation {
        overlap: hours.unwrap_or(default.overlap),
        expiry: request.expires_in_days.map_or(default.expiry, KeyExpiry::Days),
    }
}

pub(crate) fn first_key(request: Bootstrap) -> FirstKey {
    FirstKey {
        user_id: request.user_id,
        project: request.project_id,
        label: request.key_label.unwrap_or_else(|| "Default Admin Key".to_owned()),
        environment: request.environment.unwrap_or(Environment::Live),
    }
}

pub(crate) fn created_key(made: NewlyMadeKey) -> CreatedApiKey {
    CreatedApiKey { api_key: made.text.expose().to_owned(), key: key(made.row) }
}

pub(crate) fn key(row: KeyRow) -> ApiKey {
    let status = match (row.revoked_at, row.expired) {
        (Some(_), _) => "revoked",
        (None, true) => "expired",
        (None, false) => "active",
    };
    ApiKey {
        id: row.key_id,
        public_id: row.public_id,
        label: row.label,
        scopes: row.scopes,
        is_master: row.project.is_none(),
        environment: row.environment,
        trust: row.trust,
        status: status.to_owned(),
        address_ranges: row.address_ranges,
        created_by: row.created_by,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
    }
}

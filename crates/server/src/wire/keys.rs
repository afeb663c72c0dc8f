//! Keys.

use reflect_api::{ApiKey, Bootstrap, CreateApiKey, CreatedApiKey};
use reflect_engine::{FirstKey, KeyRequest, NewlyMadeKey};
use reflect_store::KeyRow;
use reflect_types::{Environment, Trust};

pub(crate) fn key_request(request: CreateApiKey) -> KeyRequest {
    KeyRequest {
        label: request.label,
        scopes: request.scopes,
        environment: request.environment.unwrap_or(Environment::Live),
        trust: request.trust.unwrap_or(Trust::Normal),
        expires_at: request.expires_at,
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
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
    }
}

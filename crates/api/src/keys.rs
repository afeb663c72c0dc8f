//! API keys, and the call that makes the first one.

use chrono::{DateTime, Utc};
use reflect_types::{Environment, KeyId, ProjectSlug, Scope, Trust};
use serde::{Deserialize, Serialize};

/// Makes the first project and the first key of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bootstrap {
    /// Whoever installs; kept as the key's author.
    pub user_id: String,
    /// The first project.
    pub project_id: ProjectSlug,
    /// What the key is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_label: Option<String>,
    /// `live` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
}

/// The first key. Its text is shown here and never again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bootstrapped {
    /// As sent.
    pub user_id: String,
    /// The first project.
    pub project_id: ProjectSlug,
    /// A master key.
    pub api_key: String,
}

/// Asks for a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateApiKey {
    /// What the key is for.
    pub label: String,
    /// What it may do: no more than the key that asks.
    pub scopes: Vec<Scope>,
    /// `live` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// How far its word is trusted; `normal` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// When it stops working by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

/// A new key. Its text is shown here and never again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedApiKey {
    /// What to send as bearer token.
    pub api_key: String,
    /// Everything else about it.
    pub key: ApiKey,
}

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ApiKey {
    /// The key's id.
    pub id: KeyId,
    /// The part of the key's text that may be shown.
    pub public_id: String,
    /// What it is for.
    pub label: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Whether it works in every project.
    pub is_master: bool,
    /// Where it is meant to be used.
    pub environment: Environment,
    /// How far its word is trusted.
    pub trust: Trust,
    /// `active`, `expired` or `revoked`.
    pub status: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it last let somebody in, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it stops working by itself.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

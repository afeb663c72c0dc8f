//! API keys, and the request that creates the first one.

use chrono::{DateTime, Utc};
use reflect_types::{Environment, KeyId, ProjectSlug, Scope, Trust};
use serde::{Deserialize, Serialize};

/// Creates the first project and the first key of an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Bootstrap {
    /// The name of the person who installs. It is stored as the key's author.
    pub user_id: String,
    /// The first project.
    pub project_id: ProjectSlug,
    /// What the key is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_label: Option<String>,
    /// Default: `live`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
}

/// The first key. Its text is returned only once.
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

/// Creates a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreateApiKey {
    /// What the key is for.
    pub label: String,
    /// The scopes. They must be a subset of the caller's scopes.
    pub scopes: Vec<Scope>,
    /// Default: `live`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// The trust level of what the key writes. Default: `normal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// When the key expires. Default: after the default lifetime of the installation (90 days), but not after the key
    /// that creates it.
    #[serde(
        default,
        deserialize_with = "crate::limited::bounded_time",
        skip_serializing_if = "Option::is_none"
    )]
    pub expires_at: Option<DateTime<Utc>>,
    /// After how many days the key expires, instead of `expires_at`. 0: never, if the installation allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_days: Option<u32>,
    /// The address ranges from which the key works, such as `10.0.0.0/8`. Default: those of the key that creates it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address_ranges: Option<Vec<String>>,
}

/// Replaces a key by a new one with the same label, scopes, trust level and address ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RotateApiKey {
    /// How many hours the old key keeps working, 0 to 720. Default: 24.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap_hours: Option<u32>,
    /// After how many days the new key expires. 0: never, if the installation allows it. Default: as for a new key, but
    /// not before the old key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in_days: Option<u32>,
}

/// A new key. Its text is returned only once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CreatedApiKey {
    /// The text to send as the bearer token.
    pub api_key: String,
    /// The key's other fields.
    pub key: ApiKey,
}

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ApiKey {
    /// The key's id.
    pub id: KeyId,
    /// The public part of the key's text.
    pub public_id: String,
    /// What it is for.
    pub label: String,
    /// The scopes.
    pub scopes: Vec<Scope>,
    /// Whether it works in every project.
    pub is_master: bool,
    /// The environment it is meant for.
    pub environment: Environment,
    /// The trust level of what the key writes.
    pub trust: Trust,
    /// `active`, `expired` or `revoked`.
    pub status: String,
    /// The address ranges from which it works. Empty: all addresses.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub address_ranges: Vec<String>,
    /// Who created it: `member:`, `key:` or `user:` and a name, or `operator`.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub created_by: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it expires.
    pub expires_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

//! What a project redacts, and how long it keeps data.

use serde::{Deserialize, Serialize};

/// What is done about personal data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum PiiMode {
    /// It is kept.
    #[default]
    Off,
    /// A placeholder replaces it.
    Mask,
    /// The request is refused.
    Block,
}

/// What is taken out of texts before they are stored or sent to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RedactionSettings {
    /// Credentials: keys, tokens, passwords. On by default.
    pub secrets: bool,
    /// Personal data: e-mail addresses, telephone numbers, payment cards, bank accounts, numbers of states.
    pub pii: PiiMode,
    /// Whether IP addresses count as personal data.
    pub ip_addresses: bool,
}

impl Default for RedactionSettings {
    fn default() -> Self {
        Self { secrets: true, pii: PiiMode::Off, ip_addresses: false }
    }
}

/// Changes what is taken out; what is absent stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeRedaction {
    /// Whether credentials are taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secrets: Option<bool>,
    /// What is done about personal data: `off`, `mask` or `block`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pii: Option<PiiMode>,
    /// Whether IP addresses count as personal data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ip_addresses: Option<bool>,
}

impl ChangeRedaction {
    /// The settings after the change.
    pub fn apply(self, before: RedactionSettings) -> RedactionSettings {
        RedactionSettings {
            secrets: self.secrets.unwrap_or(before.secrets),
            pii: self.pii.unwrap_or(before.pii),
            ip_addresses: self.ip_addresses.unwrap_or(before.ip_addresses),
        }
    }
}

/// For how many days a project keeps things; as long as the installation does where nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RetentionSettings {
    /// Runs with all their texts.
    pub traces_days: Option<u32>,
    /// Their messages.
    pub bodies_days: Option<u32>,
    /// Receipts of retrievals.
    pub retrievals_days: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_fields_stay_unchanged() {
        let masked = RedactionSettings { pii: PiiMode::Mask, ..RedactionSettings::default() };
        let change = ChangeRedaction { ip_addresses: Some(true), ..ChangeRedaction::default() };
        assert_eq!(change.apply(masked), RedactionSettings { ip_addresses: true, ..masked });
    }

    #[test]
    fn credentials_are_redacted_by_default() {
        let read: RedactionSettings = serde_json::from_str("{}").unwrap();
        assert!(read.secrets);
    }
}

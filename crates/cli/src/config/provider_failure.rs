//! Explains errors in the settings of a model provider.

use reflect_model_providers::SettingsError;

use crate::failure::{Failure, Kind};

/// Says which settings of a provider are wrong, and how to fix them. `prefix` is the common prefix of its flags.
pub(crate) fn provider_failure(error: &SettingsError, flag: &str, prefix: &str) -> Failure {
    let named = |end: &str| {
        let flag = format!("{prefix}-{end}");
        format!("REFLECT{} ({flag})", flag[1..].replace('-', "_").to_uppercase())
    };
    let fix = match error {
        SettingsError::MissingKey(_) => {
            format!("set {}, or set {} to your own server that needs no key", named("key"), named("url"))
        }
        SettingsError::UnusableKey => format!("set {} to a valid key", named("key")),
        SettingsError::MissingModel(_) => format!("set {}", named("model")),
        SettingsError::UnusableUrl(_) => format!("set {} to a valid URL", named("url")),
        _ => format!("choose another {flag}"),
    };
    let message = format!("{flag} cannot be used: {error}");
    Failure::new(Kind::Configuration, "configuration", message).fix(fix)
}

//! The HTTP client of all calls.

use reflect_outbound::innermost;
use reqwest::{Client, Url};

use crate::settings::{ProviderSettings, SettingsError};

/// Creates the client of a provider.
pub(crate) fn client(url: &Url, settings: &ProviderSettings) -> Result<Client, SettingsError> {
    let made = reflect_outbound::client_builder(url, settings.connect_timeout, settings.proxy.as_ref())
        .and_then(|builder| builder.build());
    made.map_err(|error| SettingsError::NoClient(innermost(&error)))
}

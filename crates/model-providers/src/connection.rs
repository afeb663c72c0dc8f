//! The connection to one model of one provider.

use std::time::Duration;

use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use reflect_model::ModelError;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use crate::failure::Failure;
use crate::http;
use crate::kind::ProviderKind;
use crate::settings::{ProviderSettings, SettingsError};

/// The connection to one model of one provider.
pub(crate) struct Connection {
    pub(crate) client: genai::Client,
    pub(crate) kind: ProviderKind,
    pub(crate) model: String,
    /// Whether the server is the user's own.
    pub(crate) own: bool,
    /// The name of the model for `genai`.
    genai_name: String,
    pub(crate) failure: Failure,
    url: Url,
    key: Option<SecretString>,
    timeout: Duration,
}

impl Connection {
    /// Checks the settings. Nothing is sent.
    pub(crate) fn new(settings: &ProviderSettings) -> Result<Self, SettingsError> {
        let (url, key, model) = (settings.url()?, settings.key()?, settings.model()?);
        let client = http::client(&url, settings)?;
        let client = genai::Client::builder().with_reqwest(client).build();
        let client = client.map_err(|error| SettingsError::NoClient(error.to_string()))?;
        Ok(Self {
            client,
            kind: settings.kind,
            model: model.to_owned(),
            own: settings.is_own_server(),
            // `genai` reads text before the first `::` as the name of a provider.
            genai_name: if model.contains("::") { format!("model::{model}") } else { model.to_owned() },
            failure: Failure::new(settings.kind, model, &url, key),
            url,
            key: key.cloned(),
            timeout: settings.timeout,
        })
    }

    /// The complete target of a call. `genai` would read missing parts from the environment.
    pub(crate) fn target(&self, path: &str) -> ServiceTarget {
        let auth = match &self.key {
            Some(key) => AuthData::from_single(key.expose_secret()),
            // For the OpenAI protocol `genai` requires a key, unless the whole request is overridden.
            None => AuthData::RequestOverride { url: self.address(path), headers: Headers::default() },
        };
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.url.as_str()),
            auth,
            model: ModelIden::new(self.kind.adapter(), self.genai_name.as_str()),
        }
    }

    /// The name of the model that answered. If the provider does not return a name, the configured name.
    pub(crate) fn answered(&self, name: &str) -> String {
        if name == self.genai_name { self.model.clone() } else { name.to_owned() }
    }

    fn address(&self, path: &str) -> String {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path()));
        url.into()
    }

    /// Runs a call with the timeout of the settings.
    pub(crate) async fn in_time<T>(
        &self,
        call: impl Future<Output = Result<T, ModelError>>,
    ) -> Result<T, ModelError> {
        match tokio::time::timeout(self.timeout, call).await {
            Ok(result) => result,
            Err(_) => Err(self.failure.too_slow(self.timeout)),
        }
    }
}

//! One provider, one model, and the way there.

use std::time::Duration;

use genai::resolver::{AuthData, Endpoint};
use genai::{Headers, ModelIden, ServiceTarget};
use reflect_model::ModelError;
use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

use crate::failure::Failure;
use crate::{ProviderKind, ProviderSettings, SettingsError, http};

/// One provider, one model, and the way there.
pub(crate) struct Connection {
    pub(crate) client: genai::Client,
    pub(crate) kind: ProviderKind,
    pub(crate) model: String,
    /// Whether this is a server of one's own and not the provider's.
    pub(crate) own: bool,
    /// The model's name as `genai` is told it.
    told: String,
    pub(crate) failure: Failure,
    url: Url,
    key: Option<SecretString>,
    timeout: Duration,
}

impl Connection {
    /// Checks the settings. Nothing is sent.
    pub(crate) fn new(settings: &ProviderSettings) -> Result<Self, SettingsError> {
        let (url, key, model) = (settings.url()?, settings.key()?, settings.model()?);
        let client = http::client(&url, settings.connect_timeout)?;
        let client = genai::Client::builder().with_reqwest(client).build();
        let client = client.map_err(|error| SettingsError::NoClient(error.to_string()))?;
        Ok(Self {
            client,
            kind: settings.kind,
            model: model.to_owned(),
            own: settings.base_url.is_some() || settings.kind == ProviderKind::Ollama,
            // What comes before the first `::` would be taken for the name of a provider.
            told: if model.contains("::") { format!("model::{model}") } else { model.to_owned() },
            failure: Failure::new(settings.kind, model, &url, key),
            url,
            key: key.cloned(),
            timeout: settings.timeout,
        })
    }

    /// Where a call goes, in full: with less, `genai` would look for the rest in the environment.
    pub(crate) fn target(&self, path: &str) -> ServiceTarget {
        let auth = match &self.key {
            Some(key) => AuthData::from_single(key.expose_secret()),
            // The protocol of OpenAI is not spoken without a key, unless the whole request is overridden.
            None => AuthData::RequestOverride { url: self.address(path), headers: Headers::default() },
        };
        ServiceTarget {
            endpoint: Endpoint::from_owned(self.url.as_str()),
            auth,
            model: ModelIden::new(self.kind.adapter(), self.told.as_str()),
        }
    }

    /// The name of the model that answered. Some providers do not say, which gives back what was told.
    pub(crate) fn answered(&self, name: &str) -> String {
        if name == self.told { self.model.clone() } else { name.to_owned() }
    }

    fn address(&self, path: &str) -> String {
        let mut url = self.url.clone();
        url.set_path(&format!("{}{path}", self.url.path()));
        url.into()
    }

    /// A call, but not for longer than the settings allow.
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

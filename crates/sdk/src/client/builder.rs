//! The configuration of a client: values of the caller, then of the environment if requested, then defaults.

use std::sync::Arc;
use std::time::Duration;

use reflect_types::ProjectSlug;
use secrecy::{ExposeSecret, SecretString};

use super::ReflectClient;
use crate::address::checked_base_url;
use crate::connection::{Connection, ConnectionSettings};
use crate::delivery::{Outbox, QueueLimits};
use crate::error::Error;
use crate::recall::Recall;
use crate::wire::{CallPolicy, Transport};

const DEFAULT_BASE_URL: &str = "http://localhost:8000";
const DEFAULT_PROJECT: &str = "default";

/// Configures a client. [`build`](Self::build) sends nothing.
///
/// ```
/// use std::time::Duration;
/// use reflect_sdk::ReflectClient;
///
/// let client = ReflectClient::builder()
///     .base_url("http://localhost:8000")
///     .api_key("rf_test_secret")
///     .project_id("support")
///     .timeout(Duration::from_secs(20))
///     .build()?;
/// assert!(!format!("{client:?}").contains("secret"));
/// # Ok::<(), reflect_sdk::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ReflectClientBuilder {
    base_url: Option<String>,
    api_key: Option<SecretString>,
    project_id: Option<String>,
    timeout: Option<Duration>,
    max_retries: Option<u32>,
    retrieval_timeout: Option<Duration>,
    memory_tokens: Option<usize>,
    limits: QueueLimits,
    http: Option<reqwest::Client>,
    on_warning: Option<fn(&str)>,
}

impl ReflectClientBuilder {
    /// The base URL of the server, with its path prefix if it has one. Default: `http://localhost:8000`.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The API key. It appears in no `Debug` output and no log.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into().into());
        self
    }

    /// The project of all calls. Default: `default`.
    pub fn project_id(mut self, project: impl Into<String>) -> Self {
        self.project_id = Some(project.into());
        self
    }

    /// The timeout of a call, including all retries. Default: 60 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The maximum number of retries of a call with a transient error. Default: 2.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = Some(retries);
        self
    }

    /// After this time a run continues without memories. Default: 5 seconds.
    pub fn retrieval_timeout(mut self, timeout: Duration) -> Self {
        self.retrieval_timeout = Some(timeout);
        self
    }

    /// The maximum number of tokens of memories in a prompt. Default: 1500, set by the server.
    pub fn memory_tokens(mut self, tokens: usize) -> Self {
        self.memory_tokens = Some(tokens);
        self
    }

    /// The maximum number of unsent runs. Default: 10,000. A full queue drops the oldest runs without a review first.
    pub fn queue_items(mut self, items: usize) -> Self {
        self.limits.items = items;
        self
    }

    /// The maximum size of all unsent runs in bytes. Default: 64 MB.
    pub fn queue_bytes(mut self, bytes: usize) -> Self {
        self.limits.bytes = bytes;
        self
    }

    /// A custom HTTP client, for instance with proxies or certificates. It should follow no redirects, because they
    /// would receive the key. The default client uses no proxy and the certificates of the system.
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(client);
        self
    }

    /// What to do with a warning of the server, for instance about unknown fields of a request. Each text is passed once
    /// per process. Default: a warning in the log.
    ///
    /// ```
    /// let builder = reflect_sdk::ReflectClient::builder().on_warning(|text| eprintln!("warning: {text}"));
    /// ```
    pub fn on_warning(mut self, show: fn(&str)) -> Self {
        self.on_warning = Some(show);
        self
    }

    /// Validates the settings and creates the client. It sends nothing.
    pub fn build(self) -> Result<ReflectClient, Error> {
        let base_url = checked_base_url(self.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL))?;
        let key = self.api_key.ok_or_else(no_key)?;
        // An empty value counts as absent, as in the other clients.
        let project = self.project_id.as_deref().filter(|id| !id.is_empty()).unwrap_or(DEFAULT_PROJECT);
        let project = project.parse::<ProjectSlug>();
        let project = project.map_err(|error| {
            Error::configuration(
                error.to_string(),
                "Check REFLECT_PROJECT_ID, or the project_id of the client.",
            )
        })?;
        let transport = Transport::new(base_url, Some(checked_key(&key)?), self.http)?;
        let transport = Arc::new(transport.on_warning(self.on_warning));
        let policy = CallPolicy {
            timeout: self.timeout.unwrap_or(Duration::from_secs(60)),
            max_retries: self.max_retries.unwrap_or(2),
        };
        let outbox = Outbox::new(transport.clone(), project.as_str(), self.limits);
        Ok(ReflectClient::new(Connection::new(ConnectionSettings {
            transport,
            project,
            policy,
            retrieval_timeout: self.retrieval_timeout.unwrap_or(Duration::from_secs(5)),
            memory_tokens: self.memory_tokens,
            recall: Arc::new(Recall::default()),
            outbox: Arc::new(outbox),
        })))
    }

    /// Fills absent settings from variables, by name.
    pub(crate) fn or_from(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let value_of = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        self.base_url =
            self.base_url.or_else(|| value_of("REFLECT_BASE_URL").or_else(|| value_of("REFLECT_API_URL")));
        self.api_key = self.api_key.or_else(|| value_of("REFLECT_API_KEY").map(SecretString::from));
        self.project_id = self.project_id.or_else(|| value_of("REFLECT_PROJECT_ID"));
        self
    }
}

/// The key without a trailing line break, if it is valid in a header.
fn checked_key(key: &SecretString) -> Result<SecretString, Error> {
    let text = key.expose_secret().trim();
    if text.is_empty() {
        return Err(no_key());
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::configuration("the API key contains invalid characters", "Copy it again."));
    }
    Ok(text.to_owned().into())
}

fn no_key() -> Error {
    Error::configuration("there is no API key", "Set REFLECT_API_KEY, or api_key of the builder.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        let value = match name {
            "REFLECT_BASE_URL" => " ",
            "REFLECT_API_URL" => "http://elsewhere:9000/",
            "REFLECT_API_KEY" => "rf_live_key\n",
            _ => return None,
        };
        Some(value.to_owned())
    }

    #[test]
    fn the_environment_fills_in_what_was_not_said() {
        let client = ReflectClient::builder().or_from(environment).build().unwrap();
        assert_eq!((client.base_url(), client.project_id()), ("http://elsewhere:9000", "default"));

        let said = ReflectClient::builder().base_url("http://here").project_id("mine").or_from(environment);
        let client = said.build().unwrap();
        assert_eq!((client.base_url(), client.project_id()), ("http://here", "mine"));

        let empty = ReflectClient::builder().project_id("").or_from(environment).build().unwrap();
        assert_eq!(empty.project_id(), "default");
    }

    #[test]
    fn a_key_that_cannot_work_is_refused_and_never_shown() {
        for key in ["", "two words", "schlüssel"] {
            let error = ReflectClient::builder().api_key(key).build().unwrap_err();
            assert!(matches!(error, Error::Configuration { .. }), "{error}");
            assert!(key.is_empty() || !error.to_string().contains(key), "{error}");
        }
        let builder = ReflectClient::builder().api_key("rf_live_secret");
        assert!(!format!("{builder:?} {:?}", builder.clone().build().unwrap()).contains("secret"));
    }
}

//! How a client is set up: what the caller says, else what the environment says if it is asked, else defaults.

use std::sync::Arc;
use std::time::Duration;

use reflect_types::ProjectSlug;
use secrecy::{ExposeSecret, SecretString};

use crate::address::checked_base_url;
use crate::client::Settings;
use crate::delivery::{Outbox, QueueLimits};
use crate::recall::Recall;
use crate::wire::{Manners, Transport};
use crate::{Error, ReflectClient};

const DEFAULT_BASE_URL: &str = "http://localhost:8000";
const DEFAULT_PROJECT: &str = "default";

/// Sets a client up. [`build`](Self::build) sends nothing.
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
}

impl ReflectClientBuilder {
    /// Where the server is, with its path prefix if it has one; `http://localhost:8000` when absent.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The key. It is shown by no `Debug` and in no log.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into().into());
        self
    }

    /// The project that all calls are about; `default` when absent.
    pub fn project_id(mut self, project: impl Into<String>) -> Self {
        self.project_id = Some(project.into());
        self
    }

    /// How long a call may take with all its repeats; a minute when absent.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How often a call is repeated that failed for a reason that may pass; 2 when absent.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = Some(retries);
        self
    }

    /// After how long a run goes on without memories; 5 seconds when absent.
    pub fn retrieval_timeout(mut self, timeout: Duration) -> Self {
        self.retrieval_timeout = Some(timeout);
        self
    }

    /// How many tokens of memories go into a prompt; the server's own choice, 1500, when absent.
    pub fn memory_tokens(mut self, tokens: usize) -> Self {
        self.memory_tokens = Some(tokens);
        self
    }

    /// How many runs wait here at most to be sent; 10,000 when absent. Beyond it the oldest without a review go first.
    pub fn queue_items(mut self, items: usize) -> Self {
        self.limits.items = items;
        self
    }

    /// How many bytes of runs wait here at most to be sent; 64 MB when absent.
    pub fn queue_bytes(mut self, bytes: usize) -> Self {
        self.limits.bytes = bytes;
        self
    }

    /// An HTTP client of your own, with your proxies and certificates. It should follow no redirects: the key would
    /// go along. The client's own uses no proxy and the system's certificates.
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http = Some(client);
        self
    }

    /// Checks the settings and makes the client. Nothing is sent.
    pub fn build(self) -> Result<ReflectClient, Error> {
        let base_url = checked_base_url(self.base_url.as_deref().unwrap_or(DEFAULT_BASE_URL))?;
        let key = self.api_key.ok_or_else(no_key)?;
        // Said and empty is not said, as in the other clients.
        let project = self.project_id.as_deref().filter(|id| !id.is_empty()).unwrap_or(DEFAULT_PROJECT);
        let project = project.parse::<ProjectSlug>();
        let project = project.map_err(|error| {
            Error::configuration(
                error.to_string(),
                "Check REFLECT_PROJECT_ID, or the project_id of the client.",
            )
        })?;
        let transport = Arc::new(Transport::new(base_url, Some(checked_key(&key)?), self.http)?);
        let manners = Manners {
            timeout: self.timeout.unwrap_or(Duration::from_secs(60)),
            max_retries: self.max_retries.unwrap_or(2),
        };
        let outbox = Outbox::new(transport.clone(), project.as_str(), self.limits);
        Ok(ReflectClient::new(Settings {
            transport,
            project,
            manners,
            retrieval_timeout: self.retrieval_timeout.unwrap_or(Duration::from_secs(5)),
            memory_tokens: self.memory_tokens,
            recall: Arc::new(Recall::default()),
            outbox: Arc::new(outbox),
        }))
    }

    /// Fills in what was not said, by name of the variable.
    pub(crate) fn or_from(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let said = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        self.base_url =
            self.base_url.or_else(|| said("REFLECT_BASE_URL").or_else(|| said("REFLECT_API_URL")));
        self.api_key = self.api_key.or_else(|| said("REFLECT_API_KEY").map(SecretString::from));
        self.project_id = self.project_id.or_else(|| said("REFLECT_PROJECT_ID"));
        self
    }
}

/// The key without the line break that files end with, if it can travel in a header.
fn checked_key(key: &SecretString) -> Result<SecretString, Error> {
    let text = key.expose_secret().trim();
    if text.is_empty() {
        return Err(no_key());
    }
    if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Error::configuration("the API key holds characters that no key has", "Copy it again."));
    }
    Ok(text.to_owned().into())
}

fn no_key() -> Error {
    Error::configuration("there is no API key", "Set REFLECT_API_KEY, or give api_key to the builder.")
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

//! The client itself: what it knows, and the ways in which its calls are made. The calls are in `calls`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use reflect_types::ProjectSlug;

use crate::ReflectClientBuilder;
use crate::address::project_path;
use crate::delivery::Outbox;
use crate::recall::Recall;
use crate::wire::{Manners, Transport};

/// A client of one project. Clones are cheap and share connections and queue.
///
/// ```
/// use reflect_sdk::ReflectClient;
///
/// let client = ReflectClient::builder().api_key("rf_test_1").project_id("support").build()?;
/// assert_eq!(client.project_id(), "support");
/// # Ok::<(), reflect_sdk::Error>(())
/// ```
#[derive(Clone)]
pub struct ReflectClient {
    settings: Arc<Settings>,
}

/// All that a client knows.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) transport: Arc<Transport>,
    pub(crate) project: ProjectSlug,
    pub(crate) manners: Manners,
    pub(crate) retrieval_timeout: Duration,
    pub(crate) memory_tokens: Option<usize>,
    pub(crate) recall: Arc<Recall>,
    pub(crate) outbox: Arc<Outbox>,
}

impl ReflectClient {
    /// Sets a client up.
    pub fn builder() -> ReflectClientBuilder {
        ReflectClientBuilder::default()
    }

    pub(crate) fn new(settings: Settings) -> Self {
        Self { settings: Arc::new(settings) }
    }

    /// The same client with another time for each call, such as a longer one to write a skill.
    ///
    /// ```
    /// use std::time::Duration;
    /// # let client = reflect_sdk::ReflectClient::builder().api_key("rf_test_1").build()?;
    /// let patient = client.with_timeout(Duration::from_secs(120));
    /// # Ok::<(), reflect_sdk::Error>(())
    /// ```
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        let manners = Manners { timeout, ..self.settings.manners };
        Self::new(Settings { manners, ..Settings::clone(&self.settings) })
    }

    /// Where the server is.
    pub fn base_url(&self) -> &str {
        self.settings.transport.base_url()
    }

    /// The project that all calls are about.
    pub fn project_id(&self) -> &str {
        self.settings.project.as_str()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The path of something in the project.
    pub(crate) fn path(&self, segments: &[&str]) -> String {
        project_path(self.project_id(), segments)
    }
}

impl fmt::Debug for ReflectClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectClient")
            .field("base_url", &self.base_url())
            .field("project_id", &self.project_id())
            .finish_non_exhaustive()
    }
}

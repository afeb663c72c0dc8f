//! Reads settings from environment variables. No other module reads the environment.

use crate::client::{ReflectClient, ReflectClientBuilder};
use crate::error::Error;

impl ReflectClientBuilder {
    /// Fills absent settings from the environment: `REFLECT_BASE_URL` or `REFLECT_API_URL`, `REFLECT_API_KEY`,
    /// `REFLECT_PROJECT_ID`. Empty variables count as absent.
    pub fn or_from_env(self) -> Self {
        self.or_from(variable)
    }
}

impl ReflectClient {
    /// Creates a client from the environment: `REFLECT_API_KEY`, and optionally `REFLECT_BASE_URL` or `REFLECT_API_URL`
    /// (default `http://localhost:8000`) and `REFLECT_PROJECT_ID` (default `default`). It sends nothing.
    ///
    /// ```no_run
    /// let client = reflect_sdk::ReflectClient::from_env()?;
    /// # Ok::<(), reflect_sdk::Error>(())
    /// ```
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().or_from_env().build()
    }
}

#[expect(clippy::disallowed_methods, reason = "the environment configures programs that use the client")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

//! The one place of this crate that reads the environment, and only when it is asked to.

use crate::{Error, ReflectClient, ReflectClientBuilder};

impl ReflectClientBuilder {
    /// Takes from the environment what was not said yet: `REFLECT_BASE_URL` or `REFLECT_API_URL`, `REFLECT_API_KEY`,
    /// `REFLECT_PROJECT_ID`. Empty variables count as absent.
    pub fn or_from_env(self) -> Self {
        self.or_from(variable)
    }
}

impl ReflectClient {
    /// A client as the environment describes it: `REFLECT_API_KEY`, and perhaps `REFLECT_BASE_URL` or
    /// `REFLECT_API_URL` (else `http://localhost:8000`) and `REFLECT_PROJECT_ID` (else `default`). Nothing is sent.
    ///
    /// ```no_run
    /// let client = reflect_sdk::ReflectClient::from_env()?;
    /// # Ok::<(), reflect_sdk::Error>(())
    /// ```
    pub fn from_env() -> Result<Self, Error> {
        Self::builder().or_from_env().build()
    }
}

#[expect(clippy::disallowed_methods, reason = "a program that uses the client is set up by its environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

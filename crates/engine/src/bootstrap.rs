//! The first key of an installation, for whoever knows the bootstrap token.

use reflect_store::{Actor, NewInstallation};
use reflect_types::{Environment, ProjectSlug};
use secrecy::ExposeSecret;

use crate::authenticate::same_secret;
use crate::key_text::KeyText;
use crate::manage_keys::{KeyRequest, new_key};
use crate::{Engine, EngineError};

/// What the first key is to be.
#[derive(Debug, Clone)]
pub struct FirstKey {
    /// Whoever installs.
    pub user_id: String,
    /// The first project.
    pub project: ProjectSlug,
    /// What the key is for.
    pub label: String,
    /// Where it is meant to be used.
    pub environment: Environment,
}

impl Engine {
    /// Makes the first project and a master key. Works once.
    pub async fn bootstrap(
        &self,
        token: &str,
        first: FirstKey,
        request_id: Option<String>,
    ) -> Result<KeyText, EngineError> {
        let expected = self.settings.bootstrap_token.as_ref().ok_or(EngineError::WrongBootstrapToken)?;
        if !same_secret(expected.expose_secret(), token) {
            return Err(EngineError::WrongBootstrapToken);
        }
        let request = KeyRequest { environment: first.environment, ..KeyRequest::master(first.label) };
        let (text, key) = new_key(request)?;
        let actor = Actor { name: format!("user:{}", first.user_id), request_id };
        self.store.bootstrap(&NewInstallation { project: first.project, key }, &actor).await?;
        Ok(text)
    }
}

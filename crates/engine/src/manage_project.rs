//! The end of a project.

use reflect_store::Actor;

use crate::authenticate::Visitor;
use crate::{Engine, EngineError};

impl Engine {
    /// Takes the visitor's project out of use. Its rows are removed in the background.
    pub async fn delete_project(&self, visitor: &Visitor, actor: &Actor) -> Result<u64, EngineError> {
        let project = self.store.project(visitor.project);
        let revoked = project.delete_project(visitor.slug.as_str(), actor).await?;
        self.known.forget_project(&visitor.slug).await;
        Ok(revoked)
    }
}

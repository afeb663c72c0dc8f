//! Calls about the skill of a project.

use reflect_api::{CreateSkill, Skill};
use uuid::Uuid;

use crate::connection::Connection;
use crate::error::Error;
use crate::wire::Request;

/// Calls about the skill of the project: `client.skills`.
#[derive(Debug, Clone)]
pub struct SkillCalls {
    pub(crate) connection: Connection,
}

impl SkillCalls {
    /// The skill of the project. `None` if there is none.
    pub async fn get(&self) -> Result<Option<Skill>, Error> {
        let exchange = self.connection.exchange("skills.get", self.connection.settings().policy, Some(404));
        let answer = exchange.run(&Request::get(self.connection.path(&["skill"]))).await?;
        if answer.status == 404 { Ok(None) } else { answer.json("skills.get").map(Some) }
    }

    /// Writes the next version of the skill from the best lessons, by default 5 of each kind. With a language model this
    /// can take longer than a minute: see [`with_timeout`](crate::ReflectClient::with_timeout).
    pub async fn create(&self, request: CreateSkill) -> Result<Skill, Error> {
        let request =
            Request::post(self.connection.path(&["skill", "create"]), &request)?.once(Uuid::now_v7());
        self.connection.ask("skills.create", request).await
    }
}

//! Calls about recorded actions and their undo.

use reflect_api::Action;
use uuid::Uuid;

use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::paging::Page;
use crate::wire::Request;

/// Calls about recorded actions and their undo: `client.actions`.
#[derive(Debug, Clone)]
pub struct ActionCalls {
    pub(crate) connection: Connection,
}

impl ActionCalls {
    /// One page of actions on memories and reviews, newest first.
    pub async fn page(&self, cursor: Option<&str>, limit: Option<u32>) -> Result<Page<Action>, Error> {
        self.list("actions.page", cursor, limit, None).await
    }

    /// One page of actions, also those that the server did by itself, newest first.
    pub async fn page_with_automatic(
        &self,
        cursor: Option<&str>,
        limit: Option<u32>,
    ) -> Result<Page<Action>, Error> {
        self.list("actions.page_with_automatic", cursor, limit, Some("true")).await
    }

    /// Undoes an action. Other actions before or after it stay.
    pub async fn undo(&self, action_id: Uuid) -> Result<Action, Error> {
        let path = self.connection.path(&["actions", &action_id.to_string(), "undo"]);
        self.connection.ask("actions.undo", Request::post(path, &serde_json::json!({}))?).await
    }

    async fn list(
        &self,
        call: &'static str,
        cursor: Option<&str>,
        limit: Option<u32>,
        include_automatic: Option<&str>,
    ) -> Result<Page<Action>, Error> {
        let parameters = [
            ("cursor", cursor.map(str::to_owned)),
            ("limit", limit.map(|limit| limit.to_string())),
            ("include_automatic", include_automatic.map(str::to_owned)),
        ];
        self.connection.page(call, with_query(self.connection.path(&["actions"]), &parameters)).await
    }
}

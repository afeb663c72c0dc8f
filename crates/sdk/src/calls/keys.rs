//! Calls about API keys.

use reflect_api::{ApiKey, CreateApiKey, CreatedApiKey, RotateApiKey};
use reflect_types::KeyId;
use uuid::Uuid;

use crate::address::with_query;
use crate::connection::Connection;
use crate::error::Error;
use crate::paging::Listing;
use crate::wire::Request;

/// Calls about API keys: `client.keys`.
#[derive(Debug, Clone)]
pub struct KeyCalls {
    pub(crate) connection: Connection,
}

impl KeyCalls {
    /// All keys, newest first, without their secrets.
    pub async fn list(&self) -> Result<Vec<ApiKey>, Error> {
        Ok(self.iter().collect(usize::MAX).await?.0)
    }

    /// All keys, newest first, as an iterator over pages.
    pub fn iter(&self) -> Listing<ApiKey> {
        let connection = self.connection.clone();
        Listing::new(move |cursor| {
            let connection = connection.clone();
            let path = with_query(connection.path(&["api-keys"]), &[("cursor", cursor)]);
            async move { connection.page("keys.list", path).await }
        })
    }

    /// Creates a key. Only this response contains the secret.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::{api::CreateApiKey, types::Scope};
    ///
    /// let request = CreateApiKey {
    ///     label: "agent".into(),
    ///     scopes: vec![Scope::MemoryRead, Scope::TraceWrite],
    ///     ..CreateApiKey::default()
    /// };
    /// let created = client.keys.create(request).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create(&self, request: CreateApiKey) -> Result<CreatedApiKey, Error> {
        let request = Request::post(self.connection.path(&["api-keys"]), &request)?.once(Uuid::now_v7());
        self.connection.ask("keys.create", request).await
    }

    /// Replaces a key by a new one with the same scopes. The old key keeps working for a day, or for the time of
    /// `overlap_hours`. Only this response contains the secret.
    pub async fn rotate(&self, key_id: KeyId, request: RotateApiKey) -> Result<CreatedApiKey, Error> {
        let path = self.connection.path(&["api-keys", &key_id.to_string(), "rotate"]);
        self.connection.ask("keys.rotate", Request::post(path, &request)?.once(Uuid::now_v7())).await
    }

    /// Revokes a key, and the keys that were created with it. It stops working within seconds.
    pub async fn revoke(&self, key_id: KeyId) -> Result<ApiKey, Error> {
        let path = self.connection.path(&["api-keys", &key_id.to_string(), "revoke"]);
        self.connection.ask("keys.revoke", Request::post(path, &serde_json::json!({}))?).await
    }
}

//! Calls about API keys.

use reflect_api::{ApiKey, CreateApiKey, CreatedApiKey};
use reflect_types::KeyId;
use uuid::Uuid;

use crate::address::with_query;
use crate::wire::Request;
use crate::{Error, Listing, ReflectClient};

impl ReflectClient {
    /// All keys, newest first, without their texts.
    pub async fn list_api_keys(&self) -> Result<Vec<ApiKey>, Error> {
        Ok(self.iter_api_keys().collect(usize::MAX).await?.0)
    }

    /// The same, one after the other.
    pub fn iter_api_keys(&self) -> Listing<ApiKey> {
        let client = self.clone();
        Listing::new(move |cursor| {
            let client = client.clone();
            let path = with_query(client.path(&["api-keys"]), &[("cursor", cursor)]);
            async move { client.page("list_api_keys", path).await }
        })
    }

    /// A new key with its text, which is shown this once.
    ///
    /// ```no_run
    /// # async fn example(client: reflect_sdk::ReflectClient) -> Result<(), reflect_sdk::Error> {
    /// use reflect_sdk::{api::CreateApiKey, types::Scope};
    ///
    /// let wish = CreateApiKey {
    ///     label: "agent".into(),
    ///     scopes: vec![Scope::MemoryRead, Scope::TraceWrite],
    ///     environment: None,
    ///     trust: None,
    ///     expires_at: None,
    /// };
    /// let created = client.create_api_key(wish).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_api_key(&self, wish: CreateApiKey) -> Result<CreatedApiKey, Error> {
        let request = Request::post(self.path(&["api-keys"]), &wish)?.once(Uuid::now_v7());
        self.ask("create_api_key", request).await
    }

    /// Revokes a key; it stops working within seconds.
    pub async fn revoke_api_key(&self, key_id: KeyId) -> Result<ApiKey, Error> {
        let path = self.path(&["api-keys", &key_id.to_string(), "revoke"]);
        self.ask("revoke_api_key", Request::post(path, &serde_json::json!({}))?).await
    }
}

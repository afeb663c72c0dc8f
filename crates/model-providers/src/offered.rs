//! Lists the models of a server.

use serde_json::Value;

use crate::http;
use crate::settings::{ProviderSettings, SettingsError};

/// The models of a server with the OpenAI protocol, in its order. `None` if the server does not respond with a list. The
/// model of the settings is ignored. The timeout of the settings applies to the whole call.
///
/// ```no_run
/// # async fn example() -> Result<(), reflect_model_providers::SettingsError> {
/// use reflect_model_providers::{ProviderKind, ProviderSettings, offered_models};
///
/// let models = offered_models(&ProviderSettings::new(ProviderKind::Ollama, "")).await?;
/// # Ok(())
/// # }
/// ```
pub async fn offered_models(settings: &ProviderSettings) -> Result<Option<Vec<String>>, SettingsError> {
    let (mut url, key) = (settings.url()?, settings.key()?);
    let client = http::client(&url, settings)?;
    url.set_path(&format!("{}models", url.path()));
    let mut request = client.get(url).timeout(settings.timeout);
    if let Some(key) = key {
        request = request.bearer_auth(secrecy::ExposeSecret::expose_secret(key));
    }
    let Ok(answer) = request.send().await else { return Ok(None) };
    if !answer.status().is_success() {
        return Ok(None);
    }
    Ok(answer.json::<Value>().await.ok().and_then(|body| ids(&body)))
}

fn ids(body: &Value) -> Option<Vec<String>> {
    let models = body["data"].as_array()?;
    Some(models.iter().filter_map(|model| model["id"].as_str().map(str::to_owned)).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn models_are_known_by_their_ids_and_anything_else_is_no_list() {
        let body = json!({ "object": "list", "data": [{ "id": "a" }, { "name": "no id" }, { "id": "b" }] });

        assert_eq!(ids(&body), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(ids(&json!({ "error": "no" })), None);
    }
}

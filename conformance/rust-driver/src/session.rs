//! State that outlives a line: the clients, and the active runs.

use std::collections::HashMap;

use reflect_sdk::ReflectClient;
use reflect_sdk::api::Bootstrap;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::arguments::parsed;
use crate::problem::Problem;
use crate::runs::Runs;
use crate::{calls, runs};

/// The state.
#[derive(Default)]
pub(crate) struct Session {
    clients: HashMap<u64, ReflectClient>,
    runs: Runs,
}

impl Session {
    /// Drops clients with their connections.
    pub(crate) fn drop_clients(&mut self, numbers: &[u64]) {
        self.clients.retain(|number, _| !numbers.contains(number));
    }

    /// Makes one call.
    pub(crate) async fn call(&mut self, name: &str, client: u64, said: Value) -> Result<Value, Problem> {
        match name {
            "bootstrap" => return bootstrap(read(said)?).await,
            "build" => {
                self.clients.insert(client, build(read(said)?)?);
                return Ok(Value::Null);
            }
            _ => {}
        }
        let known = self.clients.get(&client);
        let client = known.ok_or_else(|| Problem::protocol(format!("there is no client {client}")))?;
        if runs::ABOUT.contains(&name) {
            self.runs.call(client, name, said).await
        } else {
            calls::call(client, name, said).await
        }
    }
}

/// The settings of a client. Absent settings are not set.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    base_url: String,
    api_key: String,
    project_id: Option<String>,
}

fn build(said: Settings) -> Result<ReflectClient, Problem> {
    let builder = ReflectClient::builder().base_url(said.base_url).api_key(said.api_key);
    let builder = match said.project_id {
        Some(project) => builder.project_id(project),
        None => builder,
    };
    Ok(builder.build()?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct First {
    base_url: String,
    bootstrap_token: String,
    user_id: String,
    project_id: String,
}

async fn bootstrap(said: First) -> Result<Value, Problem> {
    let project_id = parsed("id of a project", &said.project_id)?;
    let wish = Bootstrap { user_id: said.user_id, project_id, key_label: None, environment: None };
    let made = ReflectClient::bootstrap(&said.base_url, said.bootstrap_token, wish).await?;
    Ok(json!(made))
}

/// Parses the arguments of a line. An error is a bug in the harness.
pub(crate) fn read<T: DeserializeOwned>(said: Value) -> Result<T, Problem> {
    serde_json::from_value(said).map_err(Problem::protocol)
}

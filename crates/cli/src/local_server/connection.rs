//! The connection file of the development server: its URL and an API key, for programs on this machine.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use reflect_engine::{Engine, KeyExpiry, KeyRequest};
use reflect_sdk::ReflectClient;
use reflect_types::{Environment, ProjectSlug, Scope, Trust};

pub(crate) use crate::connection::DevConnection as Connection;
use crate::operator::operator;

/// Reads the file; `None` if it does not exist or is not valid.
pub(crate) fn read(path: &Path) -> Option<Connection> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

/// Writes the file atomically, readable only by its owner.
pub(crate) fn write(path: &Path, connection: &Connection) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    if new.exists() {
        fs::remove_file(&new)?;
    }
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&new)?;
    file.write_all(serde_json::to_string_pretty(connection)?.as_bytes())?;
    file.write_all(b"\n")?;
    fs::rename(&new, path).with_context(|| format!("cannot write {}", path.display()))
}

impl Connection {
    /// Creates a client.
    pub(crate) fn client(&self) -> anyhow::Result<ReflectClient> {
        let builder = ReflectClient::builder().base_url(&self.base_url).api_key(&self.api_key);
        Ok(builder.project_id(&self.project_id).timeout(Duration::from_secs(60)).build()?)
    }

    /// Whether the key works for this project.
    pub(crate) async fn works(&self) -> bool {
        let Ok(client) = self.client() else { return false };
        client.traces.page(None, None, Some(1)).await.is_ok()
    }
}

/// The connection in the file if its key still works at `base_url`, else one with a new key. Updates the file.
pub(crate) async fn keep(
    path: &Path,
    base_url: &str,
    engine: &Engine,
    project: &ProjectSlug,
    scopes: &[Scope],
) -> anyhow::Result<Connection> {
    let known = read(path).filter(|known| known.project_id == project.as_str());
    let known = known.map(|known| Connection { base_url: base_url.to_owned(), ..known });
    let connection = match known {
        Some(known) if known.works().await => known,
        _ => Connection {
            base_url: base_url.to_owned(),
            api_key: new_key(engine, project, scopes).await?,
            project_id: project.to_string(),
        },
    };
    write(path, &connection)?;
    Ok(connection)
}

async fn new_key(engine: &Engine, project: &ProjectSlug, scopes: &[Scope]) -> anyhow::Result<String> {
    let request = KeyRequest {
        label: "reflect dev".to_owned(),
        scopes: scopes.to_vec(),
        environment: Environment::Test,
        trust: Trust::Normal,
        expiry: KeyExpiry::Default,
        address_ranges: Vec::new(),
    };
    let made = engine.keys.create_as_operator(Some(project), request, &operator()).await?;
    Ok(made.text.expose().to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::folder::Folder;
    use super::*;

    #[test]
    fn only_the_owner_can_read_the_file() {
        let folder = Folder::temporary().unwrap();
        let path = folder.connection();
        fs::write(&path, "not JSON").unwrap();
        assert!(read(&path).is_none());
        let connection = Connection {
            base_url: "http://127.0.0.1:1".to_owned(),
            api_key: "rf_test_1".to_owned(),
            project_id: "default".to_owned(),
        };

        write(&path, &connection).unwrap();

        assert_eq!(read(&path).unwrap().api_key, "rf_test_1");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        folder.remove().unwrap();
    }
}

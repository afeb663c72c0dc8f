//! `reflect whoami`: which server, project and key the commands use, and whether they work.

use clap::Args;
use secrecy::ExposeSecret;
use serde_json::json;

use crate::connection::Connection;
use crate::output::Output;

/// Show which server, project and key the commands use, and check them.
#[derive(Debug, Args)]
pub(crate) struct Whoami {
    #[command(flatten)]
    connection: Connection,
}

pub(crate) async fn run(arguments: Whoami, output: &Output) -> anyhow::Result<()> {
    let found = arguments.connection.find()?;
    let client = arguments.connection.client()?;
    let health = client.server.health().await?;
    // 403 means that the key is valid but cannot read memories. An invalid key is an error.
    let may_read = match client.project.get().await {
        Ok(_) => true,
        Err(error) if error.status() == Some(403) => false,
        Err(error) => return Err(error.into()),
    };
    let key = found.api_key.as_ref().map(|key| shown(key.expose_secret()));
    let item = json!({
        "base_url": client.base_url(),
        "version": health.version,
        "project": client.project_id(),
        "key": key,
        "reads_memories": may_read,
        "from_file": found.file,
    });
    output.item("whoami/1", &item, || {
        let from = found.file.as_ref().map(|file| format!("\nFrom      {}", file.display()));
        let missing = if may_read { "" } else { " (without memory:read)" };
        format!(
            "Server    {} (version {})\nProject   {}\nKey       {}{missing}{}",
            client.base_url(),
            health.version,
            client.project_id(),
            key.as_deref().unwrap_or("none"),
            from.unwrap_or_default()
        )
    })?;
    output.next("reflect traces list");
    Ok(())
}

/// The public part of a key.
fn shown(key: &str) -> String {
    let mut parts = key.trim().splitn(3, '_');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("rf"), Some(environment), Some(rest)) => {
            format!("rf_{environment}_{}…", rest.chars().take(8).collect::<String>())
        }
        _ => "set".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_part_of_a_key_is_shown() {
        assert_eq!(shown("rf_live_abcdefghsecretsecret"), "rf_live_abcdefgh…");
        assert_eq!(shown("anything else"), "set");
    }
}

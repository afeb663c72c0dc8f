//! `reflect encryption`: the encryption of stored texts, for operators.

mod key;

use clap::{Args, Subcommand};
use serde_json::json;

use crate::output::Output;
use crate::server_database::ServerDatabase;

/// Create encryption keys, change them, and encrypt texts that were stored before.
#[derive(Debug, Subcommand)]
pub(crate) enum Encryption {
    /// Create a key, or add a new first key to a file.
    Key(key::Key),
    /// Wrap the data keys of all projects with the first key. Then the other keys can be removed.
    Rotate(Rotate),
    /// Encrypt texts that were stored before encryption was configured. The server can run; an interrupted run continues.
    Encrypt(Encrypt),
}

#[derive(Debug, Args)]
pub(crate) struct Rotate {
    #[command(flatten)]
    database: ServerDatabase,
}

#[derive(Debug, Args)]
pub(crate) struct Encrypt {
    #[command(flatten)]
    database: ServerDatabase,
}

pub(crate) async fn run(command: Encryption, output: &Output) -> anyhow::Result<()> {
    match command {
        Encryption::Key(key) => key::run(&key, output),
        Encryption::Rotate(arguments) => rotate(&arguments, output).await,
        Encryption::Encrypt(arguments) => encrypt(&arguments, output).await,
    }
}

async fn rotate(arguments: &Rotate, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let changed = store.maintenance().rewrap_data_keys().await?;
    output.item("encryption.rotate/1", &json!({ "changed": changed }), || {
        format!("Wrapped {changed} data keys with the first key.")
    })
}

async fn encrypt(arguments: &Encrypt, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let mut total = 0;
    for project in store.catalogue().project_rows(None).await? {
        let encrypted = store.maintenance().encrypt_project(project.project_id).await?;
        if encrypted > 0 {
            output.say(&format!("{}: {encrypted} texts", project.slug));
        }
        total += encrypted;
    }
    output
        .item("encryption.encrypt/1", &json!({ "encrypted": total }), || format!("Encrypted {total} texts."))
}

//! `reflect keys`: manages API keys, for operators. It connects to the database directly, so it needs no API key.

use std::time::Duration;

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use reflect_engine::{
    Engine, EngineError, EngineSettings, KeyExpiry, KeyRequest, KeyRotation, Models, NewlyMadeKey,
};
use reflect_store::{KeyRow, StoreError};
use reflect_types::{Environment, ProjectSlug, Scope, Trust};
use serde::Serialize;

use crate::config::KeyConfig;
use crate::failure::{Failure, Kind};
use crate::operator::{DEFAULT_SCOPES, operator};
use crate::output::{Output, Table};
use crate::server_database::ServerDatabase;

/// Create, list, rotate and revoke API keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Create a key and print it. It is shown only once.
    Create(Create),
    /// List keys, without their secrets.
    List(List),
    /// Replace a key by a new one with the same scopes, and print it. The old key keeps working for a day.
    Rotate(Rotate),
    /// Revoke a key, or all keys of a creator, with the keys that were created with them. They stop working within five
    /// seconds.
    Revoke(Revoke),
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("owner").required(true).args(["project", "master"])))]
pub(crate) struct Create {
    #[command(flatten)]
    database: ServerDatabase,
    /// The project of the key. It is created if it does not exist.
    #[arg(long)]
    project: Option<ProjectSlug>,
    /// Create a master key: all projects and all scopes; unknown projects are created on first use.
    #[arg(long, conflicts_with = "scope")]
    master: bool,
    /// What the key is for.
    #[arg(long)]
    label: String,
    /// A scope of the key. Repeatable. Default: all scopes except managing webhooks, keys and the project.
    #[arg(long)]
    scope: Vec<Scope>,
    /// live or test. It is part of the key's text.
    #[arg(long, default_value = "live")]
    environment: Environment,
    /// untrusted, normal or trusted: how far data that is sent with the key is trusted.
    #[arg(long, default_value = "normal")]
    trust: Trust,
    /// The key expires after this many days. 0: never, if --key-max-days is 0. Default: --key-days.
    #[arg(long)]
    expires_days: Option<u32>,
    /// An address range from which the key works, such as 10.0.0.0/8. Repeatable. Default: all addresses.
    #[arg(long, value_name = "CIDR")]
    address_range: Vec<String>,
    #[command(flatten)]
    keys: KeyConfig,
}

#[derive(Debug, Args)]
pub(crate) struct Rotate {
    #[command(flatten)]
    database: ServerDatabase,
    /// The eight characters after rf_live_ or rf_test_, as `keys list` shows them.
    public_id: String,
    /// How many hours the old key keeps working, 0 to 720.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(0..=720))]
    overlap_hours: u32,
    /// The new key expires after this many days. Default: --key-days, but not before the old key.
    #[arg(long)]
    expires_days: Option<u32>,
    #[command(flatten)]
    keys: KeyConfig,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    database: ServerDatabase,
    /// Only this project's keys.
    #[arg(long)]
    project: Option<ProjectSlug>,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).args(["public_id", "created_by"])))]
pub(crate) struct Revoke {
    #[command(flatten)]
    database: ServerDatabase,
    /// The eight characters after rf_live_ or rf_test_, as `keys list` shows them.
    public_id: Option<String>,
    /// All keys of this creator, as `keys list` shows it: `member:` or `key:` and a name.
    #[arg(long)]
    created_by: Option<String>,
}

/// A key in JSON output. `key` is the public id. `text` is the full key; it is included only when the key is created.
#[derive(Serialize)]
struct KeyItem {
    key: String,
    project: Option<String>,
    status: &'static str,
    environment: &'static str,
    trust: &'static str,
    label: String,
    scopes: Vec<&'static str>,
    address_ranges: Vec<String>,
    created_by: String,
    last_used_at: Option<DateTime<Utc>>,
    expires_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

pub(crate) async fn run(keys: Keys, output: &Output) -> anyhow::Result<()> {
    match keys {
        Keys::Create(arguments) => create(arguments, output).await,
        Keys::List(arguments) => list(arguments, output).await,
        Keys::Rotate(arguments) => rotate(arguments, output).await,
        Keys::Revoke(arguments) => revoke(arguments, output).await,
    }
}

fn engine(store: reflect_store::Store, keys: KeyConfig) -> Engine {
    let settings = EngineSettings { key_lifetime: keys.lifetime(), ..EngineSettings::default() };
    Engine::new(store, Models::default(), settings)
}

async fn create(arguments: Create, output: &Output) -> anyhow::Result<()> {
    let engine = engine(arguments.database.open().await?, arguments.keys);
    let default = if arguments.master { Scope::ALL } else { DEFAULT_SCOPES };
    let request = KeyRequest {
        label: arguments.label,
        scopes: if arguments.scope.is_empty() { default.to_vec() } else { arguments.scope },
        environment: arguments.environment,
        trust: arguments.trust,
        expiry: arguments.expires_days.map_or(KeyExpiry::Default, KeyExpiry::Days),
        address_ranges: arguments.address_range,
    };
    let project = arguments.project.as_ref();
    let created = engine.keys.create_as_operator(project, request, &operator()).await?;
    let whose = project.map_or("every project".to_owned(), |slug| format!("project {slug}"));
    output.say(&format!("Key {} for {whose}. It is shown only once:", created.row.public_id));
    print(&created, project.map(ToString::to_string), "key.create/1", output)?;
    if let Some(slug) = project {
        output.next(&format!("export REFLECT_PROJECT_ID={slug} REFLECT_API_KEY=…; reflect whoami"));
    }
    Ok(())
}

async fn rotate(arguments: Rotate, output: &Output) -> anyhow::Result<()> {
    let engine = engine(arguments.database.open().await?, arguments.keys);
    let rotation = KeyRotation {
        overlap: Duration::from_secs(u64::from(arguments.overlap_hours) * 60 * 60),
        expiry: arguments.expires_days.map_or(KeyExpiry::Default, KeyExpiry::Days),
    };
    let made = engine.keys.rotate_as_operator(&arguments.public_id, rotation, &operator()).await;
    let made = made.map_err(|error| unknown_key(error, &arguments.public_id))?;
    let projects = engine.store.catalogue().projects().await?;
    let slug = projects.into_iter().find(|(id, _)| Some(*id) == made.row.project).map(|(_, slug)| slug);
    output.say(&format!(
        "Key {} in place of {}, which keeps working for {} hours. It is shown only once:",
        made.row.public_id, arguments.public_id, arguments.overlap_hours
    ));
    print(&made, slug, "key.rotate/1", output)
}

/// Prints a new key with its text.
fn print(
    made: &NewlyMadeKey,
    project: Option<String>,
    schema: &'static str,
    output: &Output,
) -> anyhow::Result<()> {
    let mut item = item(&made.row, project);
    item.text = Some(made.text.expose().to_owned());
    output.item(schema, &item, || made.text.expose().to_owned())
}

async fn list(arguments: List, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let mut items = Vec::new();
    if arguments.project.is_none() {
        let master = store.installation().keys().list(true, None, i64::MAX).await?;
        items.extend(master.iter().map(|key| item(key, None)));
    }
    for (project, slug) in store.catalogue().projects().await? {
        if arguments.project.as_ref().is_none_or(|wanted| wanted.as_str() == slug) {
            let keys = store.project(project).keys().list(false, None, i64::MAX).await?;
            items.extend(keys.iter().map(|key| item(key, Some(slug.clone()))));
        }
    }
    output.list("key.list/1", &items, None, || table(&items))
}

fn table(items: &[KeyItem]) -> Table {
    let mut table = Table::new(&[
        "KEY",
        "PROJECT",
        "STATUS",
        "?TRUST",
        "?LAST USED",
        "?EXPIRES",
        "~LABEL",
        "?CREATED BY",
        "?~SCOPES",
    ]);
    for item in items {
        let time = |at: Option<DateTime<Utc>>| {
            at.map_or_else(|| "never".to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string())
        };
        let (used, expires) = (time(item.last_used_at), time(item.expires_at));
        let project = item.project.as_deref().unwrap_or("(every project)");
        let scopes = item.scopes.join(" ");
        let by = &item.created_by;
        table.row(&[&item.key, project, item.status, item.trust, &used, &expires, &item.label, by, &scopes]);
    }
    table
}

fn item(key: &KeyRow, project: Option<String>) -> KeyItem {
    KeyItem {
        key: key.public_id.clone(),
        project,
        status: match (key.revoked_at, key.expired) {
            (Some(_), _) => "revoked",
            (None, true) => "expired",
            (None, false) => "active",
        },
        environment: key.environment.as_str(),
        trust: key.trust.as_str(),
        label: key.label.clone(),
        scopes: key.scopes.iter().map(|scope| scope.as_str()).collect(),
        address_ranges: key.address_ranges.clone(),
        created_by: key.created_by.clone(),
        last_used_at: key.last_used_at,
        expires_at: key.expires_at,
        text: None,
    }
}

async fn revoke(arguments: Revoke, output: &Output) -> anyhow::Result<()> {
    let engine = engine(arguments.database.open().await?, KeyConfig::UNLIMITED);
    let revoked = match (&arguments.public_id, &arguments.created_by) {
        (Some(public_id), _) => {
            let revoked = engine.keys.revoke_as_operator(public_id, &operator()).await;
            revoked.map_err(|error| unknown_key(error, public_id))?
        }
        (None, creator) => {
            engine.keys.revoke_created_by(creator.as_deref().unwrap_or_default(), &operator()).await?
        }
    };
    let item = serde_json::json!({ "key": arguments.public_id, "keys": revoked, "status": "revoked" });
    output.item("key.revoke/1", &item, || match revoked.as_slice() {
        [] => "No key was revoked.".to_owned(),
        keys => format!("Revoked {}.", keys.join(", ")),
    })
}

fn unknown_key(error: EngineError, public_id: &str) -> anyhow::Error {
    match error {
        EngineError::Store(StoreError::NotFound { .. }) => {
            let message = format!("no key has the public id {public_id}");
            Failure::new(Kind::Other, "not_found", message)
                .fix("run `reflect keys list` to see all keys")
                .into()
        }
        error => error.into(),
    }
}

//! `reflect keys`: manages API keys, for operators. It connects to the database directly, so it needs no API key.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use reflect_engine::{Engine, EngineSettings, KeyRequest, Models};
use reflect_store::KeyRow;
use reflect_types::{Environment, ProjectSlug, Scope, Trust};
use serde::Serialize;

use crate::failure::{Failure, Kind};
use crate::operator::{DEFAULT_SCOPES, operator};
use crate::output::{Output, Table};
use crate::server_database::ServerDatabase;

/// Create, list and revoke API keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Create a key and print it. It is shown only once.
    Create(Create),
    /// List keys, without their secrets.
    List(List),
    /// Revoke a key. It stops working within five seconds.
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
    /// A scope of the key. Repeatable. Default: all scopes except managing keys and the project.
    #[arg(long)]
    scope: Vec<Scope>,
    /// live or test. It is part of the key's text.
    #[arg(long, default_value = "live")]
    environment: Environment,
    /// untrusted, normal or trusted: how far data that is sent with the key is trusted.
    #[arg(long, default_value = "normal")]
    trust: Trust,
    /// The key expires after this many days.
    #[arg(long)]
    expires_days: Option<u32>,
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
pub(crate) struct Revoke {
    #[command(flatten)]
    database: ServerDatabase,
    /// The eight characters after rf_live_ or rf_test_, as `keys list` shows them.
    public_id: String,
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
    last_used_at: Option<DateTime<Utc>>,
    expires_at: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

pub(crate) async fn run(keys: Keys, output: &Output) -> anyhow::Result<()> {
    match keys {
        Keys::Create(arguments) => create(arguments, output).await,
        Keys::List(arguments) => list(arguments, output).await,
        Keys::Revoke(arguments) => revoke(arguments, output).await,
    }
}

async fn create(arguments: Create, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let default = if arguments.master { Scope::ALL } else { DEFAULT_SCOPES };
    let request = KeyRequest {
        label: arguments.label,
        scopes: if arguments.scope.is_empty() { default.to_vec() } else { arguments.scope },
        environment: arguments.environment,
        trust: arguments.trust,
        expires_at: arguments.expires_days.map(days_from_now),
    };
    let project = arguments.project.as_ref();
    let created = engine.keys.create_as_operator(project, request, &operator()).await?;
    let whose = project.map_or("every project".to_owned(), |slug| format!("project {slug}"));
    output.say(&format!("Key {} for {whose}. It is shown only once:", created.row.public_id));
    let mut item = item(&created.row, project.map(ToString::to_string));
    item.text = Some(created.text.expose().to_owned());
    output.item("key.create/1", &item, || created.text.expose().to_owned())?;
    if let Some(slug) = project {
        output.next(&format!("export REFLECT_PROJECT_ID={slug} REFLECT_API_KEY=…; reflect whoami"));
    }
    Ok(())
}

fn days_from_now(days: u32) -> chrono::DateTime<chrono::Utc> {
    (SystemTime::now() + Duration::from_secs(u64::from(days) * 24 * 60 * 60)).into()
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
    let mut table =
        Table::new(&["KEY", "PROJECT", "STATUS", "?TRUST", "?LAST USED", "?EXPIRES", "~LABEL", "?~SCOPES"]);
    for item in items {
        let time = |at: Option<DateTime<Utc>>| {
            at.map_or_else(|| "never".to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string())
        };
        let (used, expires) = (time(item.last_used_at), time(item.expires_at));
        let project = item.project.as_deref().unwrap_or("(every project)");
        let scopes = item.scopes.join(" ");
        table.row(&[&item.key, project, item.status, item.trust, &used, &expires, &item.label, &scopes]);
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
        last_used_at: key.last_used_at,
        expires_at: key.expires_at,
        text: None,
    }
}

async fn revoke(arguments: Revoke, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let found = store.catalogue().find_key(&arguments.public_id).await?;
    let Some(found) = found else {
        let message = format!("no key has the public id {}", arguments.public_id);
        return Err(Failure::new(Kind::Other, "not_found", message)
            .fix("run `reflect keys list` to see all keys")
            .into());
    };
    let owner = match &found.project {
        Some((project, _)) => store.project(*project),
        None => store.installation(),
    };
    owner.keys().revoke(found.key_id, found.project.is_none(), &operator(), None).await?;
    let revoked = serde_json::json!({ "key": arguments.public_id, "status": "revoked" });
    output.item("key.revoke/1", &revoked, || format!("Revoked {}.", arguments.public_id))
}

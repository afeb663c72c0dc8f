//! `reflect keys`: API keys for whoever runs the installation, without a key of their own.

use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use reflect_engine::{Engine, EngineSettings, KeyRequest, Models};
use reflect_store::KeyRow;
use reflect_types::{Environment, ProjectSlug, Scope, Trust};
use serde::Serialize;

use crate::commands::{open_store, operator};
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table};
use crate::servers_database::ServersDatabase;

/// What an agent and its reviewer need, and nothing that manages the project.
pub(crate) const USUAL_SCOPES: &[Scope] = &[
    Scope::MemoryRead,
    Scope::MemoryWrite,
    Scope::TraceRead,
    Scope::TraceWrite,
    Scope::ReviewWrite,
    Scope::SkillWrite,
];

/// Make, list and revoke API keys.
#[derive(Debug, Subcommand)]
pub(crate) enum Keys {
    /// Make a key and print it. It is shown this once.
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
    database: ServersDatabase,
    /// The project the key belongs to; made if it does not exist.
    #[arg(long)]
    project: Option<ProjectSlug>,
    /// Make a master key: every project, every scope, and unknown projects are created on first use.
    #[arg(long, conflicts_with = "scope")]
    master: bool,
    /// What the key is for.
    #[arg(long)]
    label: String,
    /// A scope the key has; may be given several times. Without it: everything but managing keys and
    /// the project.
    #[arg(long)]
    scope: Vec<Scope>,
    /// live or test; shows in the key itself.
    #[arg(long, default_value = "live")]
    environment: Environment,
    /// untrusted, normal or trusted: how far what comes in with the key is believed.
    #[arg(long, default_value = "normal")]
    trust: Trust,
    /// After how many days the key stops working by itself.
    #[arg(long)]
    expires_days: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    database: ServersDatabase,
    /// Only this project's keys.
    #[arg(long)]
    project: Option<ProjectSlug>,
}

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    #[command(flatten)]
    database: ServersDatabase,
    /// The eight characters after rf_live_, as `keys list` shows them.
    public_id: String,
}

/// A key as programs see it. The text is there once, when it was made.
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
    let store = open_store(&arguments.database).await?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let usual = if arguments.master { Scope::ALL } else { USUAL_SCOPES };
    let request = KeyRequest {
        label: arguments.label,
        scopes: if arguments.scope.is_empty() { usual.to_vec() } else { arguments.scope },
        environment: arguments.environment,
        trust: arguments.trust,
        expires_at: arguments.expires_days.map(in_days),
    };
    let project = arguments.project.as_ref();
    let made = engine.create_key_as_operator(project, request, &operator()).await?;
    let whose = project.map_or("every project".to_owned(), |slug| format!("project {slug}"));
    output.say(&format!("Key {} for {whose}. It is shown this once:", made.row.public_id));
    let mut item = item(&made.row, project.map(ToString::to_string));
    item.text = Some(made.text.expose().to_owned());
    output.item("key.create/1", &item, || made.text.expose().to_owned())?;
    if let Some(slug) = project {
        output.next(&format!("export REFLECT_PROJECT_ID={slug} REFLECT_API_KEY=…; reflect whoami"));
    }
    Ok(())
}

fn in_days(days: u32) -> chrono::DateTime<chrono::Utc> {
    (SystemTime::now() + Duration::from_secs(u64::from(days) * 24 * 60 * 60)).into()
}

async fn list(arguments: List, output: &Output) -> anyhow::Result<()> {
    let store = open_store(&arguments.database).await?;
    let mut items = Vec::new();
    if arguments.project.is_none() {
        let master = store.installation().keys(true, None, i64::MAX).await?;
        items.extend(master.iter().map(|key| item(key, None)));
    }
    for (project, slug) in store.projects().await? {
        if arguments.project.as_ref().is_none_or(|wanted| wanted.as_str() == slug) {
            let keys = store.project(project).keys(false, None, i64::MAX).await?;
            items.extend(keys.iter().map(|key| item(key, Some(slug.clone()))));
        }
    }
    output.list("key.list/1", &items, None, || table(&items))
}

fn table(items: &[KeyItem]) -> Table {
    let mut table =
        Table::new(&["KEY", "PROJECT", "STATUS", "?TRUST", "?LAST USED", "?EXPIRES", "~LABEL", "?~SCOPES"]);
    for item in items {
        let moment = |at: Option<DateTime<Utc>>| {
            at.map_or_else(|| "never".to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string())
        };
        let (used, expires) = (moment(item.last_used_at), moment(item.expires_at));
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
    let store = open_store(&arguments.database).await?;
    let found = store.find_key(&arguments.public_id).await?;
    let Some(found) = found else {
        let message = format!("no key has the public id {}", arguments.public_id);
        return Err(Failure::new(Kind::Other, "not_found", message)
            .fix("`reflect keys list` shows them")
            .into());
    };
    let owner = match &found.project {
        Some((project, _)) => store.project(*project),
        None => store.installation(),
    };
    owner.revoke_key(found.key_id, found.project.is_none(), &operator(), None).await?;
    let revoked = serde_json::json!({ "key": arguments.public_id, "status": "revoked" });
    output.item("key.revoke/1", &revoked, || format!("Revoked {}.", arguments.public_id))
}

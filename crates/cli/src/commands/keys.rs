//! `reflect keys`: API keys for whoever runs the installation, without a key of their own.

use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use reflect_engine::{Engine, EngineSettings, KeyRequest, Models};
use reflect_store::KeyRow;
use reflect_types::{Environment, ProjectSlug, Scope, Trust};

use crate::commands::{open_store, operator, print_text};
use crate::config::DatabaseConfig;

/// What an agent and its reviewer need, and nothing that manages the project.
const USUAL_SCOPES: &[Scope] = &[
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
    database: DatabaseConfig,
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
    database: DatabaseConfig,
    /// Only this project's keys.
    #[arg(long)]
    project: Option<ProjectSlug>,
}

#[derive(Debug, Args)]
pub(crate) struct Revoke {
    #[command(flatten)]
    database: DatabaseConfig,
    /// The eight characters after rf_live_, as `keys list` shows them.
    public_id: String,
}

pub(crate) async fn run(keys: Keys) -> anyhow::Result<()> {
    match keys {
        Keys::Create(arguments) => create(arguments).await,
        Keys::List(arguments) => list(arguments).await,
        Keys::Revoke(arguments) => revoke(arguments).await,
    }
}

async fn create(arguments: Create) -> anyhow::Result<()> {
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
    eprintln!("Key {} for {whose}. It is shown this once:", made.row.public_id);
    print_text(made.text.expose())
}

fn in_days(days: u32) -> chrono::DateTime<chrono::Utc> {
    (SystemTime::now() + Duration::from_secs(u64::from(days) * 24 * 60 * 60)).into()
}

async fn list(arguments: List) -> anyhow::Result<()> {
    let store = open_store(&arguments.database).await?;
    let mut lines = vec![line(["KEY", "PROJECT", "STATUS", "TRUST", "LAST USED", "LABEL", "SCOPES"])];
    if arguments.project.is_none() {
        let master = store.installation().keys(true, None, i64::MAX).await?;
        lines.extend(master.iter().map(|key| describe(key, "(every project)")));
    }
    for (project, slug) in store.projects().await? {
        if arguments.project.as_ref().is_none_or(|wanted| wanted.as_str() == slug) {
            let keys = store.project(project).keys(false, None, i64::MAX).await?;
            lines.extend(keys.iter().map(|key| describe(key, &slug)));
        }
    }
    print_text(&lines.join("\n"))
}

fn describe(key: &KeyRow, project: &str) -> String {
    let status = match (key.revoked_at, key.expired) {
        (Some(_), _) => "revoked",
        (None, true) => "expired",
        (None, false) => "active",
    };
    let used = key.last_used_at.map_or("never".to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string());
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    line([&key.public_id, project, status, key.trust.as_str(), &used, &key.label, &scopes.join(" ")])
}

fn line([key, project, status, trust, used, label, scopes]: [&str; 7]) -> String {
    format!("{key:<10}{project:<22}{status:<9}{trust:<11}{used:<18}{label:<26}{scopes}").trim_end().to_owned()
}

async fn revoke(arguments: Revoke) -> anyhow::Result<()> {
    let store = open_store(&arguments.database).await?;
    let found = store.find_key(&arguments.public_id).await?;
    let Some(found) = found else {
        anyhow::bail!("no key has the public id {}; `reflect keys list` shows them", arguments.public_id);
    };
    let owner = match &found.project {
        Some((project, _)) => store.project(*project),
        None => store.installation(),
    };
    owner.revoke_key(found.key_id, found.project.is_none(), &operator(), None).await?;
    print_text(&format!("Revoked {}.", arguments.public_id))
}

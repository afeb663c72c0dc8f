//! `reflect members`: people who can sign in to the console, for operators.

use clap::{Args, Subcommand};
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_types::{MemberName, MemberRole};
use serde_json::{Value, json};

use crate::config::{base_path, public_url};
use crate::operator::operator;
use crate::output::{Output, Table};
use crate::server_database::ServerDatabase;

/// Create sign-in links for the console, and list members.
#[derive(Debug, Subcommand)]
pub(crate) enum Members {
    /// Create a sign-in link for a member. It works once. The member is created if needed.
    Link(Link),
    /// List members.
    List(List),
}

#[derive(Debug, Args)]
pub(crate) struct Link {
    #[command(flatten)]
    database: ServerDatabase,
    /// The name of the member.
    #[arg(long)]
    name: MemberName,
    /// admin, developer, reviewer or viewer. Required for a new member; changes the role of an existing one.
    #[arg(long)]
    role: Option<MemberRole>,
    /// The public address of the server. Default: the address of `reflect dev`, else http://127.0.0.1:8000.
    #[arg(long, env = "REFLECT_PUBLIC_URL", value_parser = public_url)]
    public_url: Option<String>,
    /// The path under which a reverse proxy serves it.
    #[arg(long, env = "REFLECT_BASE_PATH", default_value = "", value_parser = base_path)]
    base_path: String,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    database: ServerDatabase,
}

pub(crate) async fn run(members: Members, output: &Output) -> anyhow::Result<()> {
    match members {
        Members::Link(arguments) => link(arguments, output).await,
        Members::List(arguments) => list(arguments, output).await,
    }
}

async fn link(arguments: Link, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let known = engine.store.members().list().await?;
    let wanted = arguments.name.as_str().to_lowercase();
    if arguments.role.is_none() && !known.iter().any(|member| member.name.to_lowercase() == wanted) {
        anyhow::bail!("there is no member {}; add --role to create one", arguments.name);
    }
    let (member, link) =
        engine.members.create_link_as_operator(&arguments.name, arguments.role, &operator()).await?;
    let until = link.expires_at.format("%Y-%m-%d %H:%M");
    output
        .say(&format!("Sign-in link for {} ({}), works once, until {until} UTC:", member.name, member.role));
    let address = arguments.public_url.or_else(|| arguments.database.local_address());
    let address = address.as_deref().unwrap_or("http://127.0.0.1:8000");
    let url = format!("{address}{}/login?t={}", arguments.base_path, link.secret);
    let role = member.role.as_str();
    let item = json!({ "name": member.name, "role": role, "url": url, "expires_at": link.expires_at });
    output.item("member.link/1", &item, || url.clone())
}

async fn list(arguments: List, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let mut items = Vec::new();
    for member in store.members().list().await? {
        items.push(json!({
            "name": member.name,
            "role": member.role.as_str(),
            "projects": member.projects.map(|projects| projects.len()),
            "status": if member.disabled_at.is_some() { "disabled" } else { "active" },
            "last_seen_at": member.last_seen_at,
        }));
    }
    output.list("member.list/1", &items, None, || table(&items))
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(&["NAME", "ROLE", "PROJECTS", "STATUS", "LAST SEEN"]);
    for item in items {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let projects = item["projects"].as_u64().map_or("(all)".to_owned(), |count| count.to_string());
        let seen =
            item["last_seen_at"].as_str().and_then(|at| at.get(..16)).unwrap_or("never").replace('T', " ");
        table.row(&[&text("name"), &text("role"), &projects, &text("status"), &seen]);
    }
    table
}

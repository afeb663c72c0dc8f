//! `reflect members`: people who may sign in to the console. The operator's way in, and back in.

use clap::{Args, Subcommand};
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_types::{MemberName, MemberRole};

use crate::commands::{open_store, operator, print_text};
use crate::config::{DatabaseConfig, base_path, public_url};

/// Let people into the console, and list them.
#[derive(Debug, Subcommand)]
pub(crate) enum Members {
    /// Make a link by which somebody signs in, once. Makes the member if there is none of the name.
    Link(Link),
    /// List members.
    List(List),
}

#[derive(Debug, Args)]
pub(crate) struct Link {
    #[command(flatten)]
    database: DatabaseConfig,
    /// What they are called.
    #[arg(long)]
    name: MemberName,
    /// admin, developer, reviewer or viewer. Needed for a new member; changes that of one who is there.
    #[arg(long)]
    role: Option<MemberRole>,
    /// The address under which people see the server.
    #[arg(long, env = "REFLECT_PUBLIC_URL", value_parser = public_url, default_value = "http://127.0.0.1:8000")]
    public_url: String,
    /// The path under which a reverse proxy shows it.
    #[arg(long, env = "REFLECT_BASE_PATH", default_value = "", value_parser = base_path)]
    base_path: String,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    database: DatabaseConfig,
}

pub(crate) async fn run(members: Members) -> anyhow::Result<()> {
    match members {
        Members::Link(arguments) => link(arguments).await,
        Members::List(arguments) => list(arguments).await,
    }
}

async fn link(arguments: Link) -> anyhow::Result<()> {
    let store = open_store(&arguments.database).await?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let known = engine.store().members().await?;
    let wanted = arguments.name.as_str().to_lowercase();
    if arguments.role.is_none() && !known.iter().any(|member| member.name.to_lowercase() == wanted) {
        anyhow::bail!("nobody is called {}; --role makes a new member", arguments.name);
    }
    let (member, link) = engine.link_as_operator(&arguments.name, arguments.role, &operator()).await?;
    eprintln!(
        "Signs {} in ({}), once, until {} UTC:",
        member.name,
        member.role,
        link.expires_at.format("%Y-%m-%d %H:%M")
    );
    print_text(&format!("{}{}/login?t={}", arguments.public_url, arguments.base_path, link.secret))
}

async fn list(arguments: List) -> anyhow::Result<()> {
    let store = open_store(&arguments.database).await?;
    let mut lines = vec![line("NAME", "ROLE", "PROJECTS", "STATUS", "LAST SEEN")];
    for member in store.members().await? {
        let projects = member.projects.map_or("(all)".to_owned(), |projects| projects.len().to_string());
        let status = if member.disabled_at.is_some() { "disabled" } else { "active" };
        let seen =
            member.last_seen_at.map_or("never".to_owned(), |at| at.format("%Y-%m-%d %H:%M").to_string());
        lines.push(line(&member.name, member.role.as_str(), &projects, status, &seen));
    }
    print_text(&lines.join("\n"))
}

fn line(name: &str, role: &str, projects: &str, status: &str, seen: &str) -> String {
    format!("{name:<26}{role:<11}{projects:<10}{status:<10}{seen}").trim_end().to_owned()
}

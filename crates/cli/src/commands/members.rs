//! `reflect members`: people who can sign in to the console, for operators.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use reflect_engine::{Engine, EngineSettings, Models};
use reflect_store::{MemberRow, StoreError};
use reflect_types::{MemberAccess, MemberName, MemberRole, ProjectId, ProjectSlug};
use serde_json::{Value, json};

use crate::config::{base_path, public_url};
use crate::failure::{Failure, Kind};
use crate::operator::operator;
use crate::output::{Output, Table};
use crate::server_database::ServerDatabase;

/// Create sign-in links for the console, connect members to identity providers, list members and set their roles.
#[derive(Debug, Subcommand)]
pub(crate) enum Members {
    /// Create a sign-in link for a member. It works once. The member is created if needed.
    Link(Link),
    /// Connect a member to an identity at an identity provider. From then on the provider decides about the roles.
    Connect(Connect),
    /// List members with their roles.
    List(List),
    /// Set the role of a member, in one project or in every project, or remove it.
    Role(Role),
}

#[derive(Debug, Args)]
pub(crate) struct Link {
    #[command(flatten)]
    database: ServerDatabase,
    /// The name of the member.
    #[arg(long)]
    name: MemberName,
    /// admin, maintainer, reviewer or viewer, in every project. Required for a new member; changes the role of an
    /// existing one in the projects that the member has.
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
pub(crate) struct Connect {
    #[command(flatten)]
    database: ServerDatabase,
    /// The name of the member.
    #[arg(long)]
    name: MemberName,
    /// The member that the person's first sign-in with the provider created. Its identity moves to --name, and it is
    /// disabled.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["issuer", "subject"], required_unless_present = "subject")]
    from: Option<MemberName>,
    /// The issuer, as in the configuration of the provider.
    #[arg(long, value_name = "URL", requires = "subject", value_parser = NonEmptyStringValueParser::new())]
    issuer: Option<String>,
    /// The subject: the person's id at the issuer, the claim `sub`.
    #[arg(long, requires = "issuer", value_parser = NonEmptyStringValueParser::new())]
    subject: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    database: ServerDatabase,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("change").required(true).args(["role", "remove"])))]
pub(crate) struct Role {
    #[command(flatten)]
    database: ServerDatabase,
    /// The name of the member.
    name: MemberName,
    /// admin, maintainer, reviewer or viewer.
    role: Option<MemberRole>,
    /// The project. Default: every project, also future ones.
    #[arg(long)]
    project: Option<ProjectSlug>,
    /// Remove the role instead.
    #[arg(long)]
    remove: bool,
}

pub(crate) async fn run(members: Members, output: &Output) -> anyhow::Result<()> {
    match members {
        Members::Link(arguments) => link(arguments, output).await,
        Members::Connect(arguments) => connect(arguments, output).await,
        Members::List(arguments) => list(arguments, output).await,
        Members::Role(arguments) => role(arguments, output).await,
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
    let role = highest(&member.access).map_or("no role", MemberRole::as_str);
    output.say(&format!("Sign-in link for {} ({role}), works once, until {until} UTC:", member.name));
    let address = arguments.public_url.or_else(|| arguments.database.local_address());
    let address = address.as_deref().unwrap_or("http://127.0.0.1:8000");
    let url = format!("{address}{}/login?t={}", arguments.base_path, link.secret);
    let item = json!({ "name": member.name, "role": role, "url": url, "expires_at": link.expires_at });
    output.item("member.link/1", &item, || url.clone())
}

async fn connect(arguments: Connect, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let (name, actor) = (&arguments.name, operator());
    let member = match (&arguments.from, &arguments.issuer, &arguments.subject) {
        (Some(from), ..) => engine.provider_sign_in.take_over(name, from, &actor).await?,
        (None, Some(issuer), Some(subject)) => {
            engine.provider_sign_in.connect(name, issuer, subject, &actor).await?
        }
        _ => anyhow::bail!("add --from, or --issuer and --subject"),
    };
    let item = json!({ "name": member.name });
    output.item("member.connect/1", &item, || {
        format!("{} can sign in with the identity provider.", member.name)
    })
}

async fn role(arguments: Role, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let known = engine.store.members().list().await?;
    let wanted = arguments.name.as_str().to_lowercase();
    let Some(member) = known.into_iter().find(|member| member.name.to_lowercase() == wanted) else {
        let message = format!("there is no member {}", arguments.name);
        return Err(Failure::new(Kind::Other, "not_found", message)
            .fix("run `reflect members list` to see all members")
            .into());
    };
    let mut access = member.access;
    match &arguments.project {
        None => access.everywhere = arguments.role,
        Some(slug) => {
            let project = engine.store.catalogue().find_project(slug).await?;
            let project = project.ok_or(StoreError::NotFound { what: "project" })?;
            access.projects.remove(&project);
            access.projects.extend(arguments.role.map(|role| (project, role)));
        }
    }
    let member = engine.members.set_access(member.member_id, access, &operator()).await?;
    let item = item(&member, &engine.store.catalogue().projects().await?);
    output.item("member.role/1", &item, || format!("{}: {}", member.name, roles(&item)))
}

async fn list(arguments: List, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let projects = store.catalogue().projects().await?;
    let items: Vec<Value> =
        store.members().list().await?.iter().map(|member| item(member, &projects)).collect();
    output.list("member.list/2", &items, None, || table(&items))
}

fn highest(access: &MemberAccess) -> Option<MemberRole> {
    access.everywhere.into_iter().chain(access.projects.values().copied()).min_by_key(|role| role.code())
}

fn item(member: &MemberRow, projects: &[(ProjectId, String)]) -> Value {
    let roles = projects.iter().filter_map(|(id, slug)| {
        let role = member.access.projects.get(id)?;
        Some((slug.clone(), Value::from(role.as_str())))
    });
    json!({
        "name": member.name,
        "role": member.access.everywhere.map(MemberRole::as_str),
        "projects": Value::Object(roles.collect()),
        "status": if member.disabled_at.is_some() { "disabled" } else { "active" },
        "last_seen_at": member.last_seen_at,
    })
}

/// All roles of a member on one line: `viewer everywhere, admin in support`.
fn roles(item: &Value) -> String {
    let everywhere = item["role"].as_str().map(|role| format!("{role} everywhere"));
    let single = item["projects"].as_object().into_iter().flatten();
    let single = single.map(|(slug, role)| format!("{} in {slug}", role.as_str().unwrap_or_default()));
    let all: Vec<String> = everywhere.into_iter().chain(single).collect();
    if all.is_empty() { "no role".to_owned() } else { all.join(", ") }
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(&["NAME", "~ROLES", "STATUS", "LAST SEEN"]);
    for item in items {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let seen =
            item["last_seen_at"].as_str().and_then(|at| at.get(..16)).unwrap_or("never").replace('T', " ");
        table.row(&[&text("name"), &roles(item), &text("status"), &seen]);
    }
    table
}

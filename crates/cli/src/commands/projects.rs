//! `reflect projects`: projects, for operators. Uses the database, so it needs no API key.

use clap::{Args, Subcommand};
use reflect_types::ProjectSlug;
use serde_json::json;

use crate::failure::{Failure, Kind};
use crate::operator::operator;
use crate::output::{Output, Table};
use crate::server_database::ServerDatabase;

/// Create, list and delete projects.
#[derive(Debug, Subcommand)]
pub(crate) enum Projects {
    /// Create a project, unless it exists.
    Create(One),
    /// List projects, oldest first.
    List(List),
    /// Delete a project with all its runs and memories. This cannot be undone.
    Delete(One),
}

#[derive(Debug, Args)]
pub(crate) struct One {
    #[command(flatten)]
    database: ServerDatabase,
    /// The project.
    project: ProjectSlug,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    database: ServerDatabase,
}

pub(crate) async fn run(projects: Projects, output: &Output) -> anyhow::Result<()> {
    match projects {
        Projects::Create(arguments) => create(arguments, output).await,
        Projects::List(arguments) => list(arguments, output).await,
        Projects::Delete(arguments) => delete(arguments, output).await,
    }
}

async fn create(arguments: One, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let slug = &arguments.project;
    let made = store.catalogue().find_project(slug).await?.is_none();
    store.catalogue().ensure_project(slug, &operator()).await?;
    let item = json!({ "project": slug.as_str(), "created": made });
    output.item("project.create/1", &item, || {
        if made { format!("Created project {slug}.") } else { format!("Project {slug} exists already.") }
    })?;
    output.next(&format!("reflect keys create --project {slug} --label agent"));
    Ok(())
}

async fn list(arguments: List, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let slugs: Vec<String> = store.catalogue().projects().await?.into_iter().map(|(_, slug)| slug).collect();
    let items: Vec<_> = slugs.iter().map(|slug| json!({ "project": slug })).collect();
    output.list("project.list/1", &items, None, || {
        let mut table = Table::new(&["PROJECT"]);
        slugs.iter().for_each(|slug| table.row(&[slug]));
        table
    })
}

async fn delete(arguments: One, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    let slug = &arguments.project;
    let Some(project) = store.catalogue().find_project(slug).await? else {
        let unknown = Failure::new(Kind::Other, "not_found", format!("there is no project {slug}"));
        return Err(unknown.fix("run `reflect projects list` to see all projects").into());
    };
    let warning = format!("This deletes project {slug} with all its runs and memories. It cannot be undone.");
    output.prompt.confirm_by_name(&warning, slug.as_str())?;
    let revoked = store.project(project).admin().delete(slug.as_str(), &operator()).await?;
    let item = json!({ "project": slug.as_str(), "revoked_keys": revoked });
    output.item("project.delete/1", &item, || {
        format!("Deleted project {slug} and revoked {revoked} of its keys. The server removes its rows in the background.")
    })
}

//! `reflect actions`: changes to memories and reviews, and undo.

use clap::{Args, Subcommand};
use reflect_api::Action;
use uuid::Uuid;

use crate::arguments::ids::{IdArgument, id};
use crate::connection::Connection;
use crate::output::{Output, Table, age};

/// List changes to memories and reviews, and undo them.
#[derive(Debug, Subcommand)]
pub(crate) enum Actions {
    /// List changes, newest first.
    List(List),
    /// Undo one change. Changes before and after it stay.
    Undo(Undo),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// The maximum number of changes.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// The cursor of the next page, from the `next` field of the page before.
    #[arg(long)]
    cursor: Option<String>,
    /// Also list what the server did by itself: lessons that a run joined or superseded.
    #[arg(long)]
    automatic: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    #[command(flatten)]
    connection: Connection,
    /// The id of the change.
    #[arg(value_parser = id::<Uuid>)]
    action: IdArgument<Uuid>,
}

pub(crate) async fn run(actions: Actions, output: &Output) -> anyhow::Result<()> {
    match actions {
        Actions::List(arguments) => {
            let client = arguments.connection.client()?;
            let (cursor, limit) = (arguments.cursor.as_deref(), Some(arguments.limit));
            let page = match arguments.automatic {
                true => client.actions.page_with_automatic(cursor, limit).await?,
                false => client.actions.page(cursor, limit).await?,
            };
            output.list("action.list/1", &page.items, page.next_cursor.as_deref(), || table(&page.items))
        }
        Actions::Undo(arguments) => {
            let client = arguments.connection.client()?;
            let action = client.actions.undo(arguments.action.resolve(&client).await?).await?;
            output.item("action.undo/1", &action, || format!("Undone: {} by {}.", action.kind, action.actor))
        }
    }
}

fn table(actions: &[Action]) -> Table {
    let mut table = Table::new(&["#ID", ">AGE", "WHAT", "?>MEM", "?>REVIEWS", "UNDONE", "?~BY"]);
    for action in actions {
        table.row(&[
            &action.id.to_string(),
            &age(action.created_at),
            &action.kind,
            &action.memories.to_string(),
            &action.reviews.to_string(),
            if action.undone_at.is_some() { "yes" } else { "no" },
            &action.actor,
        ]);
    }
    table
}

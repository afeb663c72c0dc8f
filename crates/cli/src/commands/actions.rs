//! `reflect actions`: what was done to memories and reviews, and undoing it.

use clap::{Args, Subcommand};
use reflect_api::Action;
use uuid::Uuid;

use crate::commands::ids::id;
use crate::connection::Connection;
use crate::output::{Output, Table, age};

/// See what was done to memories and reviews, and undo it.
#[derive(Debug, Subcommand)]
pub(crate) enum Actions {
    /// List what was done, newest first.
    List(List),
    /// Undo one action. What others did before or after it stays.
    Undo(Undo),
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    connection: Connection,
    /// The most actions.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// Where to go on, as the list before says it in `next`.
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    #[command(flatten)]
    connection: Connection,
    /// The action.
    #[arg(value_parser = id::<Uuid>)]
    action: Uuid,
}

pub(crate) async fn run(actions: Actions, output: &Output) -> anyhow::Result<()> {
    match actions {
        Actions::List(arguments) => {
            let client = arguments.connection.client()?;
            let page = client.page_of_actions(arguments.cursor.as_deref(), Some(arguments.limit)).await?;
            output.list("action.list/1", &page.items, page.next_cursor.as_deref(), || table(&page.items))
        }
        Actions::Undo(arguments) => {
            let client = arguments.connection.client()?;
            let action = client.undo_action(arguments.action).await?;
            output.item("action.undo/1", &action, || format!("Undone: {} by {}.", action.kind, action.actor))
        }
    }
}

fn table(actions: &[Action]) -> Table {
    let mut table = Table::new(&["ID", ">AGE", "WHAT", "?>MEM", "?>REVIEWS", "UNDONE", "?~BY"]);
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

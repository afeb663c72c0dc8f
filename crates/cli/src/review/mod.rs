//! `reflect review`: verdicts on runs, at a terminal with the console's keys, line by line without one, one by one, or
//! from a file.

mod answer;
mod apply;
mod desk;
mod draw;
mod filter;
mod interactive;
mod lines;
mod mail;
mod one;
mod outbox;
mod post;
mod screen;
mod session;
mod summary;

use std::io::{IsTerminal, stdin};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use reflect_api::{QueueOrder, RunFilter};
use reflect_types::{ReviewResult, TraceId};

use crate::commands::ids::id;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::output::Output;
use one::Word;
use outbox::Outbox;
use session::{Session, Wish};

/// Review runs: with the keys of the console, or one by its id.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Review {
    #[command(subcommand)]
    many: Option<Many>,
    #[command(flatten)]
    connection: Connection,
    /// The run to give one verdict on. Without it, runs are shown one after the other.
    #[arg(value_parser = id::<TraceId>)]
    trace_id: Option<TraceId>,
    /// It was right.
    #[arg(long, requires = "trace_id", group = "word")]
    pass: bool,
    /// It was wrong; -m says why.
    #[arg(long, requires = "trace_id", group = "word")]
    fail: bool,
    /// Puts it off for so long, such as 1h, 1d or 2w.
    #[arg(long, requires = "trace_id", group = "word", value_name = "TIME", value_parser = answer::duration)]
    defer: Option<u64>,
    /// Takes its review back, or its deferral.
    #[arg(long, requires = "trace_id", group = "word")]
    undo: bool,
    /// What was right or wrong, or why it is put off.
    #[arg(short, long, requires = "trace_id", value_name = "TEXT")]
    message: Option<String>,
    /// Puts the verdict in the place of another one.
    #[arg(long, requires = "trace_id")]
    replace: bool,
    /// How many decisions end the session.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
    /// Only such runs: task:TEXT, model:NAME, signal:NAME, judged:true, error:true, metadata.NAME:VALUE.
    #[arg(long, value_parser = filter::filter, default_value = "", hide_default_value = true)]
    filter: RunFilter,
    /// In which order.
    #[arg(long, value_enum, default_value_t = Order::Informative)]
    order: Order,
    /// Leaves out what could sway: why a run comes early, and what a verdict moves.
    #[arg(long)]
    blind: bool,
    /// Who reviews, where several people use one key.
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,
    /// Where verdicts are kept until they are sent. Without it, reflect below $XDG_STATE_HOME or ~/.local/state.
    #[arg(long, env = "REFLECT_STATE_FOLDER", value_name = "FOLDER", hide = true)]
    state_folder: Option<PathBuf>,
}

/// Verdicts on many runs at once.
#[derive(Debug, Subcommand)]
enum Many {
    /// Apply verdicts from a file: JSON lines or CSV with trace_id, result and feedback. The same file again changes
    /// nothing.
    Apply {
        #[command(flatten)]
        connection: Connection,
        /// The file; - for standard input.
        file: PathBuf,
        /// Reads the file and sends nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

/// In which order runs come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// By what a review would teach.
    Informative,
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
    /// Those with the most errors first.
    Errors,
    /// By lot.
    Random,
}

pub(crate) async fn run(arguments: Review, output: &Output) -> anyhow::Result<()> {
    if let Some(Many::Apply { connection, file, dry_run }) = &arguments.many {
        return apply::apply(&connection.client()?, file, *dry_run, output).await;
    }
    let client = arguments.connection.client()?;
    if let Some(trace_id) = arguments.trace_id {
        let word = arguments.word()?;
        return one::one(&client, trace_id, word, arguments.reviewer, output).await;
    }
    let folder = session::folder(arguments.state_folder)?;
    let outbox = Outbox::open(&folder, client.base_url(), client.project_id())?;
    let wish = Wish {
        order: arguments.order.into(),
        filter: arguments.filter,
        reviewer: arguments.reviewer,
        blind: arguments.blind,
        colour: output.has_colour(),
    };
    let limit = usize::from(arguments.limit);
    if stdin().is_terminal() && output.is_terminal() && !output.is_json() {
        return Box::pin(interactive::review(Session::new(client, outbox, wish, limit), output)).await;
    }
    lines::Lines::new(client, outbox, wish, output).review(limit, stdin().lock()).await
}

impl Review {
    /// What is to be said of the run that was named.
    fn word(&self) -> anyhow::Result<Word> {
        let feedback = self.message.clone();
        let review = |result, feedback| Word::Review { result, feedback, replace: self.replace };
        match (self.pass, self.fail, self.defer, self.undo) {
            (true, ..) => Ok(review(ReviewResult::Pass, feedback)),
            (_, true, ..) => Ok(review(ReviewResult::Fail, feedback)),
            (_, _, Some(seconds), _) => Ok(Word::Defer { seconds, note: feedback }),
            (_, _, _, true) => Ok(Word::Undo),
            _ => Err(Failure::usage("a run needs a verdict")
                .fix("add --pass, --fail -m \"what was wrong\", --defer 1d or --undo")
                .into()),
        }
    }
}

impl From<Order> for QueueOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::Informative => Self::Informative,
            Order::Newest => Self::Newest,
            Order::Oldest => Self::Oldest,
            Order::Errors => Self::Errors,
            Order::Random => Self::Random,
        }
    }
}

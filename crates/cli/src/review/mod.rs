//! `reflect review`: verdicts on runs. Interactive in a terminal, line by line without one, one run by its id, or many
//! from a file.

mod apply;
mod draw;
mod effects;
mod interactive;
mod line_input;
mod line_mode;
mod outbox;
mod reducer;
mod screen;
mod send;
mod session;
mod single;
mod state;
mod submission;
mod summary;

use std::io::{IsTerminal, stdin};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use reflect_api::QueueOrder;
use reflect_types::{ReviewResult, TraceId};

use crate::arguments::ids::{IdArgument, id};
use crate::connection::Connection;
use crate::failure::Failure;
use crate::output::Output;
use line_mode::LineReview;
use outbox::Outbox;
use session::{ReviewOptions, ReviewSession};
use single::SingleAction;

/// Review runs one after the other, or one run by its id.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Review {
    #[command(subcommand)]
    many: Option<Many>,
    #[command(flatten)]
    connection: Connection,
    /// The trace id of the run to review. Without it, runs are shown one after the other.
    #[arg(value_parser = id::<TraceId>)]
    trace_id: Option<IdArgument<TraceId>>,
    /// The run was right.
    #[arg(long, requires = "trace_id", group = "word")]
    pass: bool,
    /// The run was wrong. Explain with -m.
    #[arg(long, requires = "trace_id", group = "word")]
    fail: bool,
    /// Defer the run for this time, such as 1h, 1d or 2w.
    #[arg(long, requires = "trace_id", group = "word", value_name = "TIME", value_parser = line_input::parse_duration)]
    defer: Option<u64>,
    /// Withdraw the review of the run, or its deferral.
    #[arg(long, requires = "trace_id", group = "word")]
    undo: bool,
    /// Feedback: what was right or wrong, or why the run is deferred.
    #[arg(short, long, requires = "trace_id", value_name = "TEXT")]
    message: Option<String>,
    /// Replace an existing review.
    #[arg(long, requires = "trace_id")]
    replace: bool,
    /// End the session after this many decisions.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
    /// Only runs that match: task:TEXT, model:NAME, signal:NAME, judged:true, error:true, metadata.NAME:VALUE, and words
    /// of the task.
    #[arg(long, default_value = "", hide_default_value = true)]
    filter: String,
    /// The order of the runs.
    #[arg(long, value_enum, default_value_t = Order::Informative)]
    order: Order,
    /// Hide what could influence the verdict: why a run was chosen, and how the verdict changes memories.
    #[arg(long)]
    blind: bool,
    /// The name of the reviewer, if several people use one API key.
    #[arg(long, value_name = "NAME")]
    reviewer: Option<String>,
    /// The folder for unsent verdicts. Default: `reflect` in $XDG_STATE_HOME or in ~/.local/state.
    #[arg(long, env = "REFLECT_STATE_FOLDER", value_name = "FOLDER", hide = true)]
    state_folder: Option<PathBuf>,
}

/// Subcommands of `reflect review`.
#[derive(Debug, Subcommand)]
enum Many {
    /// Apply verdicts from a JSON lines or CSV file with trace_id, result and feedback. Applying a file twice changes
    /// nothing.
    Apply {
        #[command(flatten)]
        connection: Connection,
        /// The file, or - for standard input.
        file: PathBuf,
        /// Check the file and send nothing.
        #[arg(long)]
        dry_run: bool,
    },
}

/// The order of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Order {
    /// Runs whose review improves retrieval most.
    Informative,
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
    /// Most errors first.
    Errors,
    /// Random order.
    Random,
}

pub(crate) async fn run(arguments: Review, output: &Output) -> anyhow::Result<()> {
    if let Some(Many::Apply { connection, file, dry_run }) = &arguments.many {
        return apply::apply(&connection.client()?, file, *dry_run, output).await;
    }
    let client = arguments.connection.client()?;
    if let Some(trace_id) = arguments.trace_id.clone() {
        let action = arguments.action()?;
        let trace_id = trace_id.resolve(&client).await?;
        return single::review_one(&client, trace_id, action, arguments.reviewer, output).await;
    }
    let folder = session::folder(arguments.state_folder)?;
    let outbox = Outbox::open(&folder, client.base_url(), client.project_id())?;
    let options = ReviewOptions {
        order: arguments.order.into(),
        filter: arguments.filter,
        reviewer: arguments.reviewer,
        blind: arguments.blind,
        colour: output.terminal.colour_out,
    };
    let limit = usize::from(arguments.limit);
    if stdin().is_terminal() && output.terminal.stdout_is_terminal && !output.is_json() {
        return Box::pin(interactive::review(ReviewSession::new(client, outbox, options, limit), output))
            .await;
    }
    LineReview::new(client, outbox, options, output).review(limit, stdin().lock()).await
}

impl Review {
    /// What to do with the run whose id is given.
    fn action(&self) -> anyhow::Result<SingleAction> {
        let feedback = self.message.clone();
        let review = |result, feedback| SingleAction::Review { result, feedback, replace: self.replace };
        match (self.pass, self.fail, self.defer, self.undo) {
            (true, ..) => Ok(review(ReviewResult::Pass, feedback)),
            (_, true, ..) => Ok(review(ReviewResult::Fail, feedback)),
            (_, _, Some(seconds), _) => Ok(SingleAction::Defer { seconds, note: feedback }),
            (_, _, _, true) => Ok(SingleAction::Undo),
            _ => Err(Failure::usage("the verdict is missing")
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

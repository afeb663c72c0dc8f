//! `reflect traces export`: whole runs, in a form that `traces import` reads.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Context;
use clap::Args;
use reflect_api::Trace;

use super::counted;
use crate::connection::Connection;
use crate::filter;
use crate::output::{Output, escaped};

/// Write runs out, one JSON object a line.
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    connection: Connection,
    /// Which runs, as in `traces list`.
    #[arg(long, default_value = "")]
    filter: String,
    /// The most runs.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Where to; stdout without it. The file must not be there yet.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) async fn run(arguments: Export, output: &Output) -> anyhow::Result<()> {
    let filter = filter::of_traces(&arguments.filter, SystemTime::now())?;
    let client = arguments.connection.client()?;
    let mut to: Box<dyn Write> = match &arguments.output {
        Some(path) => {
            let file = File::create_new(path).with_context(|| format!("cannot make {}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(io::stdout())),
    };
    let quiet = arguments.output.is_none() && output.is_terminal();
    let bar =
        if quiet { indicatif::ProgressBar::hidden() } else { output.progress("Exporting", arguments.limit) };
    let most = arguments.limit.unwrap_or(u64::MAX);
    let mut written = 0;
    if arguments.filter.trim().is_empty() {
        let mut traces = client.iter_traces(None);
        while written < most
            && let Some(trace) = traces.next().await
        {
            write(&mut to, &trace?)?;
            written += 1;
            bar.inc(1);
        }
    } else {
        let mut rows = client.iter_rows(filter);
        while written < most
            && let Some(row) = rows.next().await
        {
            write(&mut to, &client.get_trace(row?.id).await?)?;
            written += 1;
            bar.inc(1);
        }
    }
    to.flush().context("cannot write")?;
    bar.finish_and_clear();
    output.say(&format!("{} written.", counted(usize::try_from(written).unwrap_or(usize::MAX), "run")));
    Ok(())
}

fn write(to: &mut impl Write, trace: &Trace) -> anyhow::Result<()> {
    let line = escaped(&serde_json::to_string(trace)?);
    writeln!(to, "{line}").context("cannot write")
}

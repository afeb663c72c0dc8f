//! `reflect traces export`: full runs, in the format of `traces import`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use reflect_api::Trace;
use reflect_sdk::TraceFilter;

use crate::connection::Connection;
use crate::output::{Output, counted, escaped};
use crate::private_file;

/// Export runs, one JSON object per line.
#[derive(Debug, Args)]
pub(crate) struct Export {
    #[command(flatten)]
    connection: Connection,
    /// A filter, as in `traces list`.
    #[arg(long, default_value = "")]
    filter: String,
    /// The maximum number of runs.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// The target file, which must not exist. Only its owner can read it. Default: standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) async fn run(arguments: Export, output: &Output) -> anyhow::Result<()> {
    let filter = TraceFilter { q: Some(arguments.filter.clone()), ..TraceFilter::default() };
    let client = arguments.connection.client()?;
    let mut to: Box<dyn Write> = match &arguments.output {
        Some(path) => {
            let file =
                private_file::create(path).with_context(|| format!("cannot create {}", path.display()))?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(BufWriter::new(io::stdout())),
    };
    let quiet = arguments.output.is_none() && output.terminal.stdout_is_terminal;
    let bar =
        if quiet { indicatif::ProgressBar::hidden() } else { output.progress("Exporting", arguments.limit) };
    let max = arguments.limit.unwrap_or(u64::MAX);
    let mut written = 0;
    if arguments.filter.trim().is_empty() {
        let mut traces = client.traces.iter(None);
        while written < max
            && let Some(trace) = traces.next().await
        {
            write(&mut to, &trace?)?;
            written += 1;
            bar.inc(1);
        }
    } else {
        let mut rows = client.traces.iter_rows(filter);
        while written < max
            && let Some(row) = rows.next().await
        {
            write(&mut to, &client.traces.get(row?.id).await?)?;
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

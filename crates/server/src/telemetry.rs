//! Logs and metrics of the process, set up once by the binary.

use std::io::{self, IsTerminal};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;

const QUIET: &str =
    "genai=info,graphile_worker=warn,graphile_worker_queries=warn,graphile_worker_migrations=warn";

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for collectors.
    Json,
}

/// Starts logging to standard error. `filter` is a level or a list of `target=level`.
pub fn start_logging(format: LogFormat, filter: &str) -> Result<(), String> {
    // Libraries that would write whole prompts and answers, or a line for every look into the queue.
    let filter = format!("{QUIET},{filter}");
    let filter =
        EnvFilter::try_new(filter).map_err(|error| format!("cannot read the log filter: {error}"))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = match format {
        LogFormat::Text => lines.with_target(false).with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| format!("cannot start logging: {error}"))
}

/// Seconds at which the histogram of request times is cut.
const BUCKETS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];

/// Starts collecting metrics for `/metrics`.
pub fn start_metrics() -> Result<PrometheusHandle, String> {
    let builder = PrometheusBuilder::new().set_buckets(BUCKETS).map_err(|error| error.to_string())?;
    let handle = builder.install_recorder().map_err(|error| format!("cannot collect metrics: {error}"))?;
    metrics::describe_counter!("reflect_http_requests_total", "Requests by method, route and status");
    metrics::describe_histogram!("reflect_http_request_seconds", "Time to answer by route");
    metrics::describe_counter!("reflect_http_requests_shed_total", "Requests sent away because of load");
    metrics::describe_gauge!("reflect_http_requests_working", "Requests being worked on now");
    metrics::describe_gauge!("reflect_http_requests_waiting", "Requests waiting for a trace to settle now");
    metrics::describe_gauge!(
        "reflect_default_partition_rows",
        "Rows that had landed in a default partition; anything but 0 needs attention"
    );
    metrics::describe_counter!("reflect_memories_total", "Memories learned in the background, by origin");
    metrics::describe_counter!("reflect_learning_failures_total", "Reviews that learning was given up on");
    metrics::describe_counter!("reflect_retrievals_total", "Retrievals, by whether they were degraded");
    metrics::describe_counter!("reflect_provider_failures_total", "Calls that a provider did not answer");
    metrics::describe_gauge!(
        "reflect_provider_open",
        "1 while a provider that does not answer is left alone"
    );
    metrics::describe_gauge!("reflect_jobs", "Jobs that wait or run, over all processes");
    metrics::describe_gauge!("reflect_jobs_oldest_seconds", "How long the oldest due job has waited");
    Ok(handle)
}

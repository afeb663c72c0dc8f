//! Logs and metrics of the process, and the spans that it exports. The binary starts them once.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use reflect_engine::OPERATION;
use tracing_subscriber::filter::{EnvFilter, LevelFilter, Targets};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::operation_spans::{OperationLayer, SpanQueue};

const QUIET: &str = "genai=info,rmcp=error";

/// The format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line, for log collectors.
    Json,
}

/// Starts logging to standard error. `filter` is a level or a list of `target=level`. Spans of operations are put into
/// `spans`, if they are exported.
pub fn start_logging(format: LogFormat, filter: &str, spans: Option<&Arc<SpanQueue>>) -> Result<(), String> {
    // These libraries would log whole prompts and responses. Spans of operations are no part of log lines.
    let filter = format!("{QUIET},{filter},{OPERATION}=off");
    let filter =
        EnvFilter::try_new(filter).map_err(|error| format!("the log filter is not valid: {error}"))?;
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_target(false).with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).boxed(),
    };
    let operations = spans.map(|queue| {
        let only = Targets::new().with_target(OPERATION, LevelFilter::INFO);
        OperationLayer::new(queue.clone()).with_filter(only)
    });
    let started = tracing_subscriber::registry().with(lines.with_filter(filter)).with(operations).try_init();
    started.map_err(|error| format!("cannot start logging: {error}"))
}

/// The buckets of the request duration histogram, in seconds.
const BUCKETS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];

/// The type of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// The description of a metric.
struct Metric {
    kind: Kind,
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
}

const fn metric(
    kind: Kind,
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric { kind, name, labels, help }
}

/// Every metric, with its label values. A test compares this list with the code, docs/OPERATIONS.md and the
/// dashboard.
const METRICS: &[Metric] = &[
    metric(
        Kind::Counter,
        "reflect_http_requests_total",
        &["method", "route", "status"],
        "Requests by method, route and status",
    ),
    metric(
        Kind::Histogram,
        "reflect_http_request_seconds",
        &["method", "route"],
        "Request duration by route",
    ),
    metric(Kind::Counter, "reflect_http_requests_shed_total", &[], "Requests rejected because of load"),
    metric(
        Kind::Counter,
        "reflect_http_requests_limited_total",
        &["limit"],
        "Requests beyond a limit of their key or member, by limit",
    ),
    metric(Kind::Gauge, "reflect_http_requests_public", &[], "Requests in progress to pages without a key"),
    metric(Kind::Gauge, "reflect_http_requests_working", &[], "Requests in progress"),
    metric(Kind::Gauge, "reflect_http_requests_waiting", &[], "Requests that wait for learning"),
    metric(
        Kind::Gauge,
        "reflect_default_partition_rows",
        &[],
        "Rows found in a default partition; any value but 0 needs attention",
    ),
    metric(
        Kind::Counter,
        "reflect_memories_total",
        &["origin"],
        "Memories learned in the background, by origin",
    ),
    metric(
        Kind::Counter,
        "reflect_situations_total",
        &["placement", "by"],
        "Learned memories by how they joined a lesson, and how that was decided",
    ),
    metric(
        Kind::Counter,
        "reflect_situations_superseded_total",
        &[],
        "Memories that newer evidence superseded",
    ),
    metric(
        Kind::Counter,
        "reflect_lesson_questions_total",
        &[],
        "Contradictions between lessons that a person has to decide",
    ),
    metric(
        Kind::Counter,
        "reflect_inferred_use_total",
        &["result"],
        "Runs whose use of memories was inferred from texts, by result",
    ),
    metric(
        Kind::Counter,
        "reflect_lesson_grouping_memories_total",
        &[],
        "Existing memories to which the background grouping gave a lesson",
    ),
    metric(
        Kind::Counter,
        "reflect_lessons_rejected_total",
        &["reason"],
        "Lessons of the model that were rejected, by reason",
    ),
    metric(
        Kind::Counter,
        "reflect_learning_failures_total",
        &[],
        "Reviews whose learning failed permanently",
    ),
    metric(
        Kind::Counter,
        "reflect_mcp_calls_total",
        &["tool", "outcome"],
        "Tool calls at /mcp, by tool and outcome",
    ),
    metric(
        Kind::Counter,
        "reflect_retrievals_total",
        &["degraded"],
        "Retrievals, by whether they were degraded",
    ),
    metric(
        Kind::Counter,
        "reflect_replica_retrievals_total",
        &["read"],
        "Retrievals with a read replica, by what was read, or why the primary was",
    ),
    metric(
        Kind::Counter,
        "reflect_receipts_lost_total",
        &["answer"],
        "Receipts that were not stored, by whether the response said so",
    ),
    metric(Kind::Gauge, "reflect_receipts_pending", &[], "Receipts that wait to be stored"),
    metric(
        Kind::Counter,
        "reflect_signals_total",
        &["source", "result"],
        "Received signals, by source and by whether their run was found",
    ),
    metric(
        Kind::Counter,
        "reflect_signal_reviews_total",
        &["source", "verdict"],
        "Reviews made from signals, by source and verdict",
    ),
    metric(
        Kind::Counter,
        "reflect_otlp_records_total",
        &["result"],
        "OpenTelemetry spans and log records that arrived, by what became of them",
    ),
    metric(
        Kind::Counter,
        "reflect_otlp_runs_total",
        &["result"],
        "Runs of OpenTelemetry spans that ended, by whether they were stored",
    ),
    metric(
        Kind::Counter,
        "reflect_exported_spans_total",
        &["result"],
        "Spans of our own operations, by whether the configured receiver took them",
    ),
    metric(
        Kind::Counter,
        "reflect_webhook_attempts_total",
        &["outcome"],
        "Attempts to deliver events to webhooks, by what became of them",
    ),
    metric(Kind::Counter, "reflect_judgements_total", &["verdict"], "Traces that a judge judged, by verdict"),
    metric(Kind::Counter, "reflect_redacted_total", &["class"], "Redactions, by class"),
    metric(
        Kind::Counter,
        "reflect_votes_refused_total",
        &["reason"],
        "Votes of untrusted keys that were not counted, by reason",
    ),
    metric(Kind::Counter, "reflect_reembedded_total", &[], "Memories indexed in the next embedding space"),
    metric(
        Kind::Counter,
        "reflect_vector_index_entries_total",
        &[],
        "Entries read from the covering indexes of vectors",
    ),
    metric(
        Kind::Counter,
        "reflect_vector_heap_fetches_total",
        &[],
        "Entries of these that needed a visit to the table",
    ),
    metric(Kind::Gauge, "reflect_vector_graphs", &["state"], "Search graphs of large projects, by state"),
    metric(
        Kind::Gauge,
        "reflect_vector_graph_recall",
        &[],
        "The lowest recall of a serving search graph, at its last check",
    ),
    metric(Kind::Counter, "reflect_provider_failures_total", &["provider"], "Failed calls to a provider"),
    metric(
        Kind::Gauge,
        "reflect_provider_open",
        &["provider"],
        "1 while the circuit breaker of a provider is open, else 0",
    ),
    metric(Kind::Gauge, "reflect_jobs", &[], "Queued and running jobs of all processes, at most 100,000"),
    metric(Kind::Gauge, "reflect_jobs_oldest_seconds", &[], "The waiting time of the oldest due job"),
    metric(
        Kind::Gauge,
        "reflect_maintenance_age_seconds",
        &["step"],
        "The time since a step of maintenance last succeeded",
    ),
    metric(
        Kind::Gauge,
        "reflect_maintenance_failed",
        &["step"],
        "1 if a step of maintenance has failed since it last succeeded, else 0",
    ),
    metric(Kind::Gauge, "reflect_database_up", &[], "1 if the database answered, else 0"),
];

/// Starts collecting metrics for `/metrics`.
pub fn start_metrics() -> Result<PrometheusHandle, String> {
    let builder = PrometheusBuilder::new().set_buckets(BUCKETS).map_err(|error| error.to_string())?;
    let handle = builder.install_recorder().map_err(|error| format!("cannot collect metrics: {error}"))?;
    for Metric { kind, name, labels, help } in METRICS {
        match kind {
            Kind::Counter => metrics::describe_counter!(*name, *help),
            Kind::Gauge => metrics::describe_gauge!(*name, *help),
            Kind::Histogram => metrics::describe_histogram!(*name, *help),
        }
        // Counters start at 0. Prometheus does not see the first increment of a counter that appears with it.
        if *kind == Kind::Counter && labels.is_empty() {
            metrics::counter!(*name).absolute(0);
        }
    }
    Ok(handle)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    use super::{METRICS, Metric};

    fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    fn read(path: &str) -> String {
        std::fs::read_to_string(repository().join(path)).unwrap()
    }

    /// Every `reflect_…` of a text; a histogram's series count as the histogram.
    fn names_in(text: &str) -> BTreeSet<String> {
        let starts = text.match_indices("reflect_").map(|(at, _)| &text[at..]);
        let end_of =
            |rest: &str| rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let names = starts.map(|rest| &rest[..end_of(rest)]);
        let series = ["_bucket", "_sum", "_count"];
        names
            .map(|name| series.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name).to_owned())
            .collect()
    }

    fn known() -> BTreeSet<String> {
        METRICS.iter().map(|metric| metric.name.to_owned()).collect()
    }

    fn sources(folder: &Path, found: &mut String) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }

    #[test]
    fn every_metric_that_the_code_moves_is_described() {
        let mut code = String::new();
        for crate_name in ["engine", "server", "store"] {
            sources(&repository().join("crates").join(crate_name).join("src"), &mut code);
        }
        let moved: BTreeSet<String> = ["counter!(", "gauge!(", "histogram!("]
            .iter()
            .flat_map(|call| code.split(call).skip(1))
            .filter_map(|rest| Some(rest.trim_start().strip_prefix('"')?.split_once('"')?.0.to_owned()))
            .filter(|name| name.starts_with("reflect_"))
            .collect();

        assert!(moved.len() > 10, "{moved:?}");
        assert!(moved.is_subset(&known()), "{:?}", moved.difference(&known()));
    }

    /// A label from a request would let clients create any number of time series.
    #[test]
    fn labels_come_from_closed_sets() {
        let mut code = String::new();
        for crate_name in ["engine", "server", "store"] {
            sources(&repository().join("crates").join(crate_name).join("src"), &mut code);
        }
        let calls =
            ["counter!(\"", "gauge!(\"", "histogram!(\""].iter().flat_map(|call| code.split(call).skip(1));
        let calls = calls.filter(|call| call.starts_with("reflect_"));
        let labels = calls.flat_map(|call| call.split(';').next().unwrap().split("=>").skip(1));
        let labels: Vec<&str> = labels.collect();
        assert!(labels.len() > 10, "{labels:?}");
        for label in labels {
            // The server chooses the status.
            let label = label.replace("status.to_string()", "status");
            for open in ["to_string()", "to_owned()", "clone()", "format!", "String::"] {
                assert!(!label.contains(open), "{label}");
            }
        }
    }

    #[test]
    fn the_page_for_operators_explains_every_metric() {
        let page = read("docs/OPERATIONS.md");
        let beginning = |metric: &Metric| {
            let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
            format!("| `{}` | {}", metric.name, labels.join(", "))
        };
        let missing: Vec<String> = METRICS
            .iter()
            .map(beginning)
            .filter(|row| !page.contains(&format!("\n{}", row.trim_end())))
            .collect();

        assert!(missing.is_empty(), "docs/OPERATIONS.md has no row that begins with {missing:?}");
    }

    #[test]
    fn the_page_for_operators_names_no_metric_that_is_not_there() {
        // Roles of the database and a crate have names that begin in the same way.
        const OTHERS: [&str; 3] = ["reflect_app", "reflect_owner", "reflect_store"];
        let (named, known) = (names_in(&read("docs/OPERATIONS.md")), known());
        let unknown: Vec<&String> =
            named.difference(&known).filter(|name| !OTHERS.contains(&name.as_str())).collect();

        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn the_dashboard_shows_only_metrics_that_are_there() {
        let dashboard = read("docs/operations/grafana-dashboard.json");
        let shown = names_in(&dashboard);

        assert!(!shown.is_empty());
        assert!(shown.is_subset(&known()), "{:?}", shown.difference(&known()));
    }
}

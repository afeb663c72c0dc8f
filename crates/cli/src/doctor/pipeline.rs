//! Checks of the server: database, queue, maintenance, search index, embedder and text model.

use reflect_api::{Diagnosis, Overview, Readiness};
use reflect_sdk::ReflectClient;
use reflect_types::GraphState;
use serde_json::json;

use super::report::{Check, Level, Section};

/// If a due job waits longer, no worker is running.
const MAX_QUEUE_SECONDS: f64 = 300.0;
/// A step of maintenance runs every hour. With very many projects it takes longer.
const MAX_MAINTENANCE_SECONDS: f64 = 3.0 * 3600.0;

fn check(name: &str, level: Level, message: impl Into<String>) -> Check {
    Check::new(Section::Pipeline, name, level, message)
}

pub(super) async fn look(
    client: &ReflectClient,
    diagnosis: Option<&Diagnosis>,
    overview: Option<&Overview>,
) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.push(match client.server.ready().await {
        Ok(ready) => database(&ready),
        Err(error) => check("database", Level::Skip, format!("/ready does not respond: {error}")),
    });
    if let Ok(metrics) = client.server.metrics().await {
        checks.push(queue(&metrics));
        checks.extend(maintenance(&metrics));
    }
    checks.extend(diagnosis.and_then(database_role));
    checks.extend(diagnosis.map(embeddings));
    checks.extend(diagnosis.and_then(search_graph));
    checks.extend(diagnosis.map(|diagnosis| reflection(diagnosis, overview)));
    checks
}

fn database(ready: &Readiness) -> Check {
    match (ready.status.as_str(), &ready.reason) {
        // The server does not start if a migration is missing.
        ("ready", _) => check("database", Level::Ok, "responds, and all migrations are applied"),
        ("draining", _) => check("database", Level::Warn, "the server is shutting down")
            .fix("connect to the server that replaces it"),
        (_, reason) => {
            let said = reason.as_deref().unwrap_or("the server is not ready");
            check("database", Level::Fail, said)
                .fix("check that Postgres is running and that the server's --database-url is correct")
        }
    }
}

/// Only if the server works without the restricted role.
fn database_role(diagnosis: &Diagnosis) -> Option<Check> {
    (diagnosis.restricted_database_role == Some(false)).then(|| {
        let message = "the server's database user cannot take the role reflect_app: row-level security and the append-only \
                       audit log depend on the owner of the tables";
        check("database_role", Level::Warn, message).fix(
            "let a superuser of Postgres run `create role reflect_app nologin; grant reflect_app to USER;`, then run `reflect \
             migrate` and restart the server",
        )
    })
}

/// Only in a project that is large enough for a search graph. Queries work in every state.
fn search_graph(diagnosis: &Diagnosis) -> Option<Check> {
    let graph = diagnosis.search_graph.as_ref()?;
    let recall = graph.recall.map_or_else(
        || "has not been compared with exact search".to_owned(),
        |recall| format!("finds {:.1} % of the nearest memories", recall * 100.0),
    );
    let mut found = match (graph.state, &graph.error) {
        (GraphState::Serving, None) => {
            check("search_graph", Level::Ok, format!("a graph of {} memories {recall}", graph.vectors))
        }
        (GraphState::Rejected, _) => {
            check("search_graph", Level::Warn, format!("queries are exact and slow: the graph {recall}")).fix(
                "nothing: the graph is built again after a week; fewer memories make exact search faster",
            )
        }
        (state, Some(error)) => check("search_graph", Level::Warn, format!("the graph is {state}: {error}"))
            .fix("fix the cause of the error; the graph is tried again automatically"),
        (state, None) => check(
            "search_graph",
            Level::Ok,
            format!("queries are exact until the graph serves; it is {state}"),
        ),
    };
    found.numbers = json!({ "vectors": graph.vectors, "recall": graph.recall, "questions": graph.questions });
    Some(found)
}

fn queue(metrics: &str) -> Check {
    let (jobs, oldest) = (gauge(metrics, "reflect_jobs"), gauge(metrics, "reflect_jobs_oldest_seconds"));
    if gauge(metrics, "reflect_database_up") == Some(0.0) {
        return check("queue", Level::Skip, "cannot be checked while the database does not respond");
    }
    let (Some(jobs), Some(oldest)) = (jobs, oldest) else {
        return check("queue", Level::Skip, "/metrics does not contain the number of jobs");
    };
    let said = format!("{jobs:.0} jobs, the oldest is waiting for {oldest:.0} s");
    let mut found = if jobs < 1.0 {
        check("queue", Level::Ok, "empty")
    } else if oldest <= MAX_QUEUE_SECONDS {
        check("queue", Level::Ok, said)
    } else {
        check("queue", Level::Warn, said)
            .fix("start a worker (`reflect serve --role worker`), or give this server more --learners")
    };
    found.numbers = json!({ "jobs": jobs, "oldest_seconds": oldest });
    found
}

/// Which steps of maintenance did not succeed for too long. `None` if the server does not say.
fn maintenance(metrics: &str) -> Option<Check> {
    let ages = by_label(metrics, "reflect_maintenance_age_seconds", "step");
    let oldest = ages.iter().map(|(_, age)| *age).reduce(f64::max)?;
    let failed = by_label(metrics, "reflect_maintenance_failed", "step");
    let has_failed = |step: &str| failed.iter().any(|(name, value)| *name == step && *value > 0.0);
    let problems = ages.iter().filter(|(step, age)| *age > MAX_MAINTENANCE_SECONDS || has_failed(step));
    let problems: Vec<String> =
        problems.map(|(step, age)| format!("{step} last succeeded {:.0} minutes ago", age / 60.0)).collect();
    let mut found = if problems.is_empty() {
        let said = format!("every step succeeded within the last {:.0} minutes", (oldest / 60.0).ceil());
        check("maintenance", Level::Ok, said)
    } else {
        check("maintenance", Level::Warn, problems.join("; ")).fix(
            "read the reason in the log of the workers (`maintenance`); if no process runs as `all` or `worker`, start one",
        )
    };
    found.numbers = ages.iter().map(|(step, age)| ((*step).to_owned(), json!(age))).collect();
    Some(found)
}

/// The values of a Prometheus metric with one label, each with the value of the label.
fn by_label<'a>(metrics: &'a str, name: &str, label: &str) -> Vec<(&'a str, f64)> {
    let start = format!("{name}{{{label}=\"");
    let lines = metrics.lines().filter_map(|line| line.strip_prefix(start.as_str())?.split_once("\"} "));
    lines.filter_map(|(of, value)| Some((of, value.trim().parse().ok()?))).collect()
}

/// The value of a Prometheus metric without labels.
fn gauge(metrics: &str, name: &str) -> Option<f64> {
    let mut lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
    lines.find_map(|rest| rest.strip_prefix(' ')?.trim().parse().ok())
}

fn embeddings(diagnosis: &Diagnosis) -> Check {
    let Some(embedder) = &diagnosis.embedder else {
        return check(
            "embeddings",
            Level::Warn,
            "no embedder is configured: memories are found by words only",
        )
        .fix(
            "start the server with --embedder-folder (a local model), or with --embedder openai and its key",
        );
    };
    match (&embedder.error, embedder.answered_in_ms, embedder.dimensions) {
        (None, Some(took), Some(dimensions)) => {
            let said = format!("{} responded in {took:.0} ms with {dimensions} dimensions", embedder.model);
            check("embeddings", Level::Ok, said)
        }
        (error, ..) => {
            let why = error.as_deref().unwrap_or("it returned nothing");
            check("embeddings", Level::Fail, format!("{}: {why}", embedder.model))
                .fix("fix the cause; check the server's --embedder-url and --embedder-key")
        }
    }
}

fn reflection(diagnosis: &Diagnosis, overview: Option<&Overview>) -> Check {
    let (failed, queued) = overview.map_or((0, 0), |seen| (seen.reflections.failed, seen.reflections.queued));
    let last = overview.and_then(|seen| seen.failures.first()).and_then(|failure| failure.error.clone());
    let numbers = json!({ "failed": failed, "waiting": queued });
    let Some(model) = &diagnosis.text_model else {
        let mut found = check(
            "reflection",
            Level::Warn,
            "no text model is configured: lessons are built from feedback only",
        )
        .fix(
            "start the server with --text-provider, --text-model and the provider's key; `reflect dev` finds a \
             provider by its key in the environment, or Ollama",
        );
        found.numbers = numbers;
        return found;
    };
    let mut found = if failed > 0 {
        let why = last.map(|why| format!(": {why}")).unwrap_or_default();
        check("reflection", Level::Fail, format!("{}{why} ({failed} failed, {queued} waiting)", model.model))
            .fix("fix the cause of the error, then run: reflect doctor --fix")
    } else if let Some(seconds) = model.resting_seconds {
        check(
            "reflection",
            Level::Fail,
            format!("{} does not respond; next attempt in {seconds:.0} s ({queued} waiting)", model.model),
        )
        .fix("check the provider's address and status; waiting lessons are retried automatically")
    } else {
        check("reflection", Level::Ok, format!("{} ({queued} lessons are being written)", model.model))
    };
    found.numbers = numbers;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_read_from_the_metrics() {
        let metrics = "# TYPE reflect_jobs gauge\nreflect_jobs 3\nreflect_jobs_oldest_seconds 301.5\n";

        assert_eq!(queue(metrics).level, Level::Warn);
        assert!(queue(metrics).message.starts_with("3 jobs"));
        assert_eq!(queue("reflect_jobs 3\nreflect_jobs_oldest_seconds 10\n").level, Level::Ok);
        assert_eq!(queue("").level, Level::Skip);
        let stale = format!("{metrics}reflect_database_up 0\n");
        assert_eq!(queue(&stale).level, Level::Skip);
    }

    #[test]
    fn a_step_of_maintenance_that_fails_or_is_late_is_reported() {
        let age =
            |step: &str, age: u32| format!("reflect_maintenance_age_seconds{{step=\"{step}\"}} {age}\n");
        let well = age("partitions", 600) + age("retention", 3540).as_str();
        let failed = format!("{well}reflect_maintenance_failed{{step=\"retention\"}} 1\n");
        let late = well.clone() + age("vectors", 11_000).as_str();

        assert_eq!(maintenance(""), None);
        let fine = maintenance(&well).unwrap();
        assert_eq!(
            (fine.level, fine.message.as_str()),
            (Level::Ok, "every step succeeded within the last 59 minutes")
        );
        assert_eq!(fine.numbers["retention"], 3540.0);
        let failed = maintenance(&failed).unwrap();
        assert_eq!(
            (failed.level, failed.message.as_str()),
            (Level::Warn, "retention last succeeded 59 minutes ago")
        );
        assert_eq!(maintenance(&late).unwrap().message, "vectors last succeeded 183 minutes ago");
    }

    #[test]
    fn a_database_that_does_not_respond_fails() {
        let ready = |status: &str| Readiness { status: status.to_owned(), reason: None };

        let levels = ["ready", "draining", "unavailable"].map(|status| database(&ready(status)).level);
        assert_eq!(levels, [Level::Ok, Level::Warn, Level::Fail]);
    }

    #[test]
    fn a_server_without_the_restricted_role_is_reported() {
        let role = |value: serde_json::Value| {
            let all = json!({ "caller": "key:abc", "scopes": [], "trust": "normal", "text_model": null, "embedder": null,
                              "restricted_database_role": value });
            database_role(&serde_json::from_value(all).unwrap())
        };
        assert_eq!(role(json!(null)), None);
        assert_eq!(role(json!(true)), None);
        let found = role(json!(false)).unwrap();
        assert_eq!(found.level, Level::Warn);
        assert!(found.fix.unwrap().contains("grant reflect_app to"));
    }

    #[test]
    fn the_search_graph_of_a_large_project_is_shown() {
        let graph = |value: serde_json::Value| {
            let all = json!({ "caller": "key:abc", "scopes": [], "trust": "normal", "text_model": null, "embedder": null,
                              "search_graph": value });
            search_graph(&serde_json::from_value(all).unwrap())
        };
        let of = |state: &str, recall: Option<f32>, error: Option<&str>| {
            graph(json!({ "state": state, "vectors": 50_000, "recall": recall, "questions": 64, "error": error })).unwrap()
        };
        assert_eq!(graph(json!(null)), None);

        let serving = of("serving", Some(0.9912), None);
        assert_eq!(serving.level, Level::Ok);
        assert_eq!(serving.message, "a graph of 50000 memories finds 99.1 % of the nearest memories");
        assert_eq!(of("building", None, None).level, Level::Ok);
        assert_eq!(of("rejected", Some(0.7), None).level, Level::Warn);
        let failed = of("building", None, Some("no space left on device"));
        assert_eq!(failed.level, Level::Warn);
        assert!(failed.message.contains("no space left"), "{}", failed.message);
    }

    #[test]
    fn findings_of_the_pipeline() {
        let diagnosis = |more: serde_json::Value| -> Diagnosis {
            let mut all = json!({ "caller": "key:abc", "scopes": [], "trust": "normal", "text_model": null, "embedder": null });
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value(all).unwrap()
        };
        let bare = diagnosis(json!({}));
        let broken = diagnosis(json!({
            "text_model": { "model": "gpt-5", "resting_seconds": 30.0 },
            "embedder": { "model": "small", "answered_in_ms": null, "dimensions": null, "error": "401" },
        }));
        let ready = |status: &str| Readiness { status: status.to_owned(), reason: None };
        let checks = vec![
            database(&ready("ready")),
            database(&ready("draining")),
            database(&ready("unavailable")),
            queue("reflect_jobs 3\nreflect_jobs_oldest_seconds 301.5\n"),
            embeddings(&bare),
            embeddings(&broken),
            reflection(&bare, None),
            reflection(&broken, None),
        ];
        let report = super::super::report::Report::new("http://127.0.0.1:8000".into(), "p".into(), checks);

        insta::assert_snapshot!(report.text(false, Some(100)));
    }
}

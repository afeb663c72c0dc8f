//! Whether the server can do its work: its database, its models, and what waits to be learned from.

use reflect_api::{Diagnosis, Overview, Readiness};
use reflect_sdk::ReflectClient;
use serde_json::json;

use super::report::{Check, Level, Section};

/// A job that is due and waits longer has no worker.
const LONGEST_QUEUE_SECONDS: f64 = 300.0;

fn check(name: &str, level: Level, message: impl Into<String>) -> Check {
    Check::new(Section::Pipeline, name, level, message)
}

pub(super) async fn look(
    client: &ReflectClient,
    diagnosis: Option<&Diagnosis>,
    overview: Option<&Overview>,
) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.push(match client.ready().await {
        Ok(ready) => database(&ready),
        Err(error) => check("database", Level::Skip, format!("/ready does not answer: {error}")),
    });
    if let Ok(metrics) = client.metrics().await {
        checks.push(queue(&metrics));
    }
    checks.extend(diagnosis.map(embeddings));
    checks.extend(diagnosis.map(|diagnosis| reflection(diagnosis, overview)));
    checks
}

fn database(ready: &Readiness) -> Check {
    match (ready.status.as_str(), &ready.reason) {
        // A server does not start on a database that lacks a migration.
        ("ready", _) => check("database", Level::Ok, "answers, and has all migrations that the server needs"),
        ("draining", _) => check("database", Level::Warn, "the server is shutting down")
            .fix("ask the one that takes its place"),
        (_, reason) => {
            let said = reason.as_deref().unwrap_or("the server is not ready");
            check("database", Level::Fail, said)
                .fix("see that Postgres runs and that the server's --database-url is right")
        }
    }
}

fn queue(metrics: &str) -> Check {
    let (jobs, oldest) = (gauge(metrics, "reflect_jobs"), gauge(metrics, "reflect_jobs_oldest_seconds"));
    if gauge(metrics, "reflect_database_up") == Some(0.0) {
        return check("queue", Level::Skip, "cannot be counted while the database does not answer");
    }
    let (Some(jobs), Some(oldest)) = (jobs, oldest) else {
        return check("queue", Level::Skip, "/metrics does not say how many jobs wait");
    };
    let said = format!("{jobs:.0} jobs, the oldest has waited {oldest:.0} s");
    let mut found = if jobs < 1.0 {
        check("queue", Level::Ok, "empty")
    } else if oldest <= LONGEST_QUEUE_SECONDS {
        check("queue", Level::Ok, said)
    } else {
        check("queue", Level::Warn, said)
            .fix("start a worker (`reflect serve --role worker`), or give this server more --learners")
    };
    found.numbers = json!({ "jobs": jobs, "oldest_seconds": oldest });
    found
}

/// A number of the Prometheus text format that has no labels.
fn gauge(metrics: &str, name: &str) -> Option<f64> {
    let mut lines = metrics.lines().filter_map(|line| line.strip_prefix(name));
    lines.find_map(|rest| rest.strip_prefix(' ')?.trim().parse().ok())
}

fn embeddings(diagnosis: &Diagnosis) -> Check {
    let Some(embedder) = &diagnosis.embedder else {
        return check(
            "embeddings",
            Level::Warn,
            "no embedder is set: memories are found by their words alone",
        )
        .fix(
            "start the server with --embedder-folder (a local model), or with --embedder openai and its key",
        );
    };
    match (&embedder.error, embedder.answered_in_ms, embedder.dimensions) {
        (None, Some(took), Some(dimensions)) => {
            let said = format!("{} answered in {took:.0} ms with {dimensions} dimensions", embedder.model);
            check("embeddings", Level::Ok, said)
        }
        (error, ..) => {
            let why = error.as_deref().unwrap_or("it gave nothing");
            check("embeddings", Level::Fail, format!("{}: {why}", embedder.model))
                .fix("mend what it says: address and key are the server's --embedder-url and --embedder-key")
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
            "no text model is set: lessons are put together from feedback alone",
        )
        .fix(
            "start the server with --text-provider and --text-model, and with the provider's key; `reflect dev` finds \
             OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or an Ollama by itself",
        );
        found.numbers = numbers;
        return found;
    };
    let mut found = if failed > 0 {
        let why = last.map(|why| format!(": {why}")).unwrap_or_default();
        check(
            "reflection",
            Level::Fail,
            format!("{}{why} ({failed} given up, {queued} waiting)", model.model),
        )
        .fix("mend what the error names, then: reflect doctor --fix")
    } else if let Some(seconds) = model.resting_seconds {
        check(
            "reflection",
            Level::Fail,
            format!(
                "{} does not answer and is left alone for {seconds:.0} s ({queued} waiting)",
                model.model
            ),
        )
        .fix("look at the provider's address and state; lessons that wait are tried again by themselves")
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
    fn a_database_that_does_not_answer_fails() {
        let ready = |status: &str| Readiness { status: status.to_owned(), reason: None };

        let levels = ["ready", "draining", "unavailable"].map(|status| database(&ready(status)).level);
        assert_eq!(levels, [Level::Ok, Level::Warn, Level::Fail]);
    }
}

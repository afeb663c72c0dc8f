//! How many statements hot operations take. Each costs a round trip and a share of the processor.

use std::cell::RefCell;
use std::sync::Once;
use std::time::{Duration, SystemTime};

use futures::future::join_all;
use reflect_store::{InferLink, NewTraceRow, NewWebhook, RetrievalPeriod};
use reflect_types::{ReviewResult, WebhookEventType};
use tracing::callsite::rebuild_interest_cache;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::set_global_default;
use tracing::{Event, Metadata, Subscriber};

use crate::given;

thread_local! {
    /// The statements of the operation that this thread measures.
    static MEASURED: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// Collects the first words of the statements that the database driver logs, on threads that measure.
///
/// It is installed for the whole process. Which log statements are enabled is decided once for all threads: with a
/// subscriber of one thread, another test without one could disable them in between.
struct Statements;

impl Subscriber for Statements {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        MEASURED.with_borrow_mut(|measured| {
            if let Some(statements) = measured {
                event.record(&mut Summary(statements));
            }
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Summary<'a>(&'a mut Vec<String>);

impl Visit for Summary<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        // Opening a connection is no part of an operation. Another task tells the workers, after the commit.
        let is_other = ["set role", "-- Tells the workers"].iter().any(|other| value.starts_with(other));
        if field.name() == "summary" && !is_other {
            self.0.push(value.trim_end_matches(" …").to_owned());
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.record_str(field, format!("{value:?}").trim_matches('"'));
    }
}

/// Runs an operation on this thread and returns its statements. `begin` is not logged.
async fn statements<T>(operation: impl Future<Output = T>) -> Vec<String> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        set_global_default(Statements).unwrap();
        rebuild_interest_cache();
    });
    MEASURED.set(Some(Vec::new()));
    operation.await;
    MEASURED.take().unwrap()
}

fn unlinked(task: &str) -> NewTraceRow {
    let period = RetrievalPeriod::before(SystemTime::now(), Duration::from_secs(3600));
    let infer = InferLink { task_digest: [1; 32], period, compared: true };
    NewTraceRow { infer: Some(infer), ..given::trace(task) }
}

const LOOK_UP: &str = "-- The last receipts";
const STORE: &str = "-- Stores runs with";
const COMMIT: &str = "COMMIT";

#[tokio::test]
async fn a_run_takes_one_statement_and_one_more_if_its_memories_are_inferred() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;

    let plain = statements(project.traces().record(&given::trace("a"), None)).await;
    let inferred = statements(project.traces().record(&unlinked("b"), None)).await;

    assert_eq!(plain, [STORE, COMMIT]);
    assert_eq!(inferred, [LOOK_UP, STORE, COMMIT]);
}

#[tokio::test]
async fn keys_of_runs_and_signals_of_the_project_take_one_statement_more() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let keys =
        vec![("commit".parse().unwrap(), "0a1b".to_owned()), ("session".parse().unwrap(), "s".to_owned())];
    let with_keys = NewTraceRow { keys, ..given::trace("a") };
    let compared = NewTraceRow { signals_blind: Some(false), ..given::trace("b") };

    let declared = statements(project.traces().record(&with_keys, None)).await;
    let asked = statements(project.traces().record(&compared, None)).await;

    assert_eq!(declared, [STORE, "-- The keys of", COMMIT]);
    assert_eq!(asked, [STORE, "-- Locks the signals", COMMIT]);
}

#[tokio::test]
async fn a_run_without_a_review_takes_one_statement_more_if_a_webhook_receives_that() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let webhook = NewWebhook {
        webhook_id: uuid::Uuid::now_v7(),
        url: "https://hooks.example.com/".into(),
        description: String::new(),
        types: vec![WebhookEventType::ReviewNeeded],
        include_texts: false,
        secret: "whsec_c2VjcmV0".to_owned().into(),
    };
    project.admin().webhooks().create(&webhook, &given::actor(), None).await.unwrap();

    let waiting = statements(project.traces().record(&given::trace("a"), None)).await;

    assert_eq!(waiting, [STORE, "-- Counts runs that", COMMIT]);
}

#[tokio::test]
async fn runs_that_arrive_together_share_their_statements() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let traces = project.traces();
    let runs: Vec<NewTraceRow> = (0..8).map(|number| unlinked(&format!("run {number}"))).collect();

    let together = statements(join_all(runs.iter().map(|run| traces.record(run, None)))).await;
    let batch = statements(traces.record_many(vec![Some(unlinked("c")), Some(unlinked("d"))], None)).await;

    assert_eq!(together, [LOOK_UP, STORE, COMMIT]);
    assert_eq!(batch, [LOOK_UP, STORE, COMMIT]);
    assert_eq!(traces.list(None, None, 100).await.unwrap().traces.len(), 10);
}

#[tokio::test]
async fn learning_starts_with_two_statements() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let run = given::reviewed("a task");
    project.traces().record(&run, None).await.unwrap();
    let review = run.review.as_ref().unwrap().review_id;

    let mut input = None;
    let taken = statements(async { input = project.learning().start(review).await.unwrap() }).await;

    assert_eq!(taken, ["-- The review to", "-- Marks a run", COMMIT]);
    let input = input.unwrap();
    assert_eq!((input.trace_id, input.task.as_str(), input.attempt), (run.trace_id, "a task", 1));
    assert_eq!(input.trajectory, run.body.decode().unwrap());
    assert_eq!((input.result, input.feedback), (ReviewResult::Fail, run.review.unwrap().feedback));
}

//! Builds of the product with a deliberate fault. A run that does not detect them proves nothing.

use std::time::Duration;

use anyhow::{Context, ensure};
use reflect_bench_ingest::cluster::Cluster;
use reflect_bench_ingest::http::Connection;
use reflect_scripted_provider::CallKind;
use reflect_soak::audit::{Invariant, Violation};
use reflect_soak::drain::drain;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Arguments;
use crate::stage::{Difference, Stage};

const LONGEST: Duration = Duration::from_secs(60);
/// After so many rounds a mutant counts as not detected.
const MOST_ROUNDS: u64 = 4;
/// How often a server is killed after its answer, which must show an answer before the commit.
const MOST_ANSWERS: usize = 20;

const FORGET_KEYS: &[&str] = &[
    "create function forget_key() returns trigger language plpgsql security definer as $$ begin \
       delete from public.idempotency where project_id = new.project_id and key = new.key; return null; end $$",
    "create trigger forget_key after insert on idempotency for each row execute function forget_key()",
];
const FORGET_DRAFTS: &[&str] = &[
    "create function forget_draft() returns trigger language plpgsql as $$ begin return null; end $$",
    "create trigger forget_draft before insert on draft for each row execute function forget_draft()",
];

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// Calls are answered before they are committed.
    AcknowledgeBeforeCommit,
    /// Utilities move after the transaction that entered them.
    UtilityOutsideTransaction,
    /// A review may become two memories.
    NoMemoryKey,
    /// Idempotency keys are not kept.
    ForgottenKeys,
    /// The answer of a model is not kept until its memory is stored.
    ForgottenDrafts,
}

impl Mutant {
    pub(crate) const ALL: [Self; 5] = [
        Self::AcknowledgeBeforeCommit,
        Self::UtilityOutsideTransaction,
        Self::NoMemoryKey,
        Self::ForgottenKeys,
        Self::ForgottenDrafts,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::AcknowledgeBeforeCommit => "ack-early",
            Self::UtilityOutsideTransaction => "utility-outside",
            Self::NoMemoryKey => "no-memory-key",
            Self::ForgottenKeys => "forgotten-keys",
            Self::ForgottenDrafts => "forgotten-drafts",
        }
    }

    fn difference(self) -> Difference {
        let usual = Difference::default();
        match self {
            Self::AcknowledgeBeforeCommit => {
                Difference { arguments: &["--fault", "ack-before-commit"], ..usual }
            }
            Self::UtilityOutsideTransaction => {
                Difference { arguments: &["--fault", "utility-outside-transaction"], ..usual }
            }
            Self::NoMemoryKey => Difference { statements: &["drop index memory_of_review"], ..usual },
            Self::ForgottenKeys => Difference { statements: FORGET_KEYS, ..usual },
            Self::ForgottenDrafts => Difference { statements: FORGET_DRAFTS, ..usual },
        }
    }

    /// The place at which it shows, and the invariant.
    const fn shows(self) -> Option<(&'static str, Invariant)> {
        match self {
            Self::UtilityOutsideTransaction => Some(("ingest-commit:after:5", Invariant::I3)),
            Self::NoMemoryKey => Some(("learn-finish:after", Invariant::I4)),
            Self::ForgottenKeys => Some(("ingest-commit:after", Invariant::I7)),
            Self::AcknowledgeBeforeCommit | Self::ForgottenDrafts => None,
        }
    }
}

/// Runs all mutants, and returns how many were detected.
pub(crate) async fn caught(arguments: &Arguments, cluster: &Cluster) -> anyhow::Result<usize> {
    let mut caught = 0;
    for mutant in Mutant::ALL {
        let found = Box::pin(one(arguments, cluster, mutant)).await?;
        caught += usize::from(found.is_some());
        match found {
            Some(violation) => println!("mutant {}: caught by {violation}", mutant.name()),
            None => println!("mutant {}: NOT caught", mutant.name()),
        }
    }
    Ok(caught)
}

async fn one(arguments: &Arguments, cluster: &Cluster, mutant: Mutant) -> anyhow::Result<Option<Violation>> {
    let plan = (1, arguments.seed);
    let mut stage =
        Box::pin(Stage::create(cluster, &arguments.binary, mutant.name(), plan, &mutant.difference()))
            .await?;
    let Some((place, invariant)) = mutant.shows() else {
        return match mutant {
            Mutant::ForgottenDrafts => Box::pin(paid_twice(&stage)).await,
            _ => Box::pin(lost_after_answer(&stage)).await,
        };
    };
    for _ in 0..MOST_ROUNDS {
        let load = stage.load();
        stage.end_at(0, place, LONGEST).await?;
        let violations = Box::pin(stage.settle(load)).await?;
        if let Some(found) = violations.into_iter().find(|violation| violation.of == invariant) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Ends the process directly after a draft was stored. The model must not be asked about this run again.
pub(crate) async fn paid_twice(stage: &Stage) -> anyhow::Result<Option<Violation>> {
    let marker = Uuid::now_v7().simple().to_string();
    let body = json!({
        "task": format!("Count the spoons {marker}"),
        "trajectory": [{ "role": "assistant", "content": "There are nine." }],
        "review": { "result": "fail", "feedback_text": "There were ten of them." },
    });
    let server = stage.start(0).await?;
    stage.provider.set(reflect_soak::provider::slow(1_000));
    record(stage, &server.address, &body).await?;
    server.kill().await?;
    stage.provider.set(reflect_soak::provider::good());
    let before = asked(stage, &marker);
    stage.end_at(0, "learn-draft:after", LONGEST).await?;
    let server = stage.start(0).await?;
    let drained = drain(&stage.database_url, LONGEST).await?;
    ensure!(drained.is_complete(), "{} are left", drained.left);
    server.kill().await?;
    let after = asked(stage, &marker) - before;
    let what = || format!("a model was asked {after} times about a run whose answer was stored");
    Ok((after > 1).then(|| Violation::new(Invariant::I8, what())))
}

/// How often the model was asked for a lesson about the run with this marker.
fn asked(stage: &Stage, marker: &str) -> usize {
    let calls = stage.provider.calls();
    let texts = calls.iter().filter(|call| call.kind == CallKind::Chat).map(|call| call.body.to_string());
    // Not the comparisons with other lessons, whose schema has another name.
    texts.filter(|text| text.contains(marker) && text.contains(r#""name":"lesson""#)).count()
}

/// Kills a server as soon as it has answered, and looks for what it acknowledged.
async fn lost_after_answer(stage: &Stage) -> anyhow::Result<Option<Violation>> {
    for _ in 0..MOST_ANSWERS {
        let server = stage.start(0).await?;
        let body = json!({ "task": "Close the door", "trajectory": [] });
        let trace = record(stage, &server.address, &body).await?;
        server.kill().await?;
        let server = stage.start(0).await?;
        let tenant = &stage.errands;
        let path = format!("/v1/projects/{}/traces/{trace}", tenant.slug);
        let headers = format!("authorization: Bearer {}\r\n", tenant.key);
        let answer = Connection::open(&server.address).await?.get(&path, &headers).await?;
        server.kill().await?;
        if answer.status == 404 {
            let what = format!("acknowledged trace {trace} is not there");
            return Ok(Some(Violation::new(Invariant::I1, what)));
        }
    }
    Ok(None)
}

/// Records a run and returns its id.
async fn record(stage: &Stage, address: &str, body: &Value) -> anyhow::Result<String> {
    let tenant = &stage.errands;
    let path = format!("/v1/projects/{}/traces", tenant.slug);
    let headers = format!("authorization: Bearer {}\r\n", tenant.key);
    let mut connection = Connection::open(address).await?;
    let answer = connection.post(&path, &headers, body.to_string().as_bytes()).await?;
    let said: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    ensure!((200..300).contains(&answer.status), "a run could not be recorded: {} {said}", answer.status);
    Ok(said["trace_id"].as_str().context("an id")?.to_owned())
}

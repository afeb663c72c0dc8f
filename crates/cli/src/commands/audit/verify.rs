//! `reflect audit verify` and `reflect audit heads`: the hash chains of the audit log and their signatures.

use std::path::PathBuf;
use std::time::SystemTime;

use anyhow::Context;
use chrono::TimeDelta;
use clap::Args;
use reflect_engine::{
    AuditPublicKey, ChainReport, Engine, EngineSettings, Models, VerificationSettings, find_heads, head_text,
};
use reflect_store::SignedHead;
use reflect_types::ProjectSlug;
use serde_json::{Value, json};

use super::{LogNames, find};
use crate::config::audit::AuditConfig;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, counted};
use crate::server_database::ServerDatabase;

/// What a successful verification does not prove.
const NOT_DETECTED: [&str; 4] = [
    "changes after the newest signature of a log (the server signs every 10 minutes)",
    "entries that were removed before they were chained (the server chains every 5 seconds)",
    "the newest entries removed together with their signatures, unless a copy of a signature is given with --heads",
    "false entries that the server itself wrote, and everything by a person who has the key",
];

/// Check that no entry was changed, removed or reordered since it was signed. Also lists what it cannot detect.
#[derive(Debug, Args)]
pub(super) struct Verify {
    #[command(flatten)]
    database: ServerDatabase,
    #[command(flatten)]
    audit: AuditConfig,
    /// The public part of a key, as `reflect audit key` prints it. Repeatable. Verifies without the key itself, and
    /// signatures of earlier keys.
    #[arg(long, value_name = "KEY")]
    public_key: Vec<AuditPublicKey>,
    /// A file with signatures from outside of the database: the server's log, or the output of `reflect audit heads`.
    /// Repeatable.
    #[arg(long, value_name = "FILE")]
    heads: Vec<PathBuf>,
    /// For how many days entries are kept. Older entries may be missing.
    #[arg(long, default_value_t = 400, value_name = "DAYS")]
    retention_days: u16,
    /// Only the log of this project.
    #[arg(long)]
    project: Option<ProjectSlug>,
}

/// Print the newest signature of each log, to keep a copy outside of the database.
#[derive(Debug, Args)]
pub(super) struct Heads {
    #[command(flatten)]
    database: ServerDatabase,
}

pub(super) async fn heads(arguments: Heads, output: &Output) -> anyhow::Result<()> {
    let store = arguments.database.open().await?;
    for length in store.maintenance().audit_chains().lengths().await? {
        if let Some(newest) = store.maintenance().audit_chains().heads(length.chain).await?.last() {
            output.line(&head_text(newest))?;
        }
    }
    Ok(())
}

pub(super) async fn run(arguments: Verify, output: &Output) -> anyhow::Result<()> {
    let mut keys = arguments.public_key.clone();
    keys.extend(arguments.audit.key()?.map(|key| *key.public()));
    let heads = outside_heads(&arguments.heads)?;
    if keys.is_empty() {
        output.warn(
            "no key was given, so signatures are not checked: an owner of the database can compute the chain again. Use \
             --audit-key-file or --public-key",
        );
    }
    let settings = VerificationSettings {
        keys,
        heads,
        retention: TimeDelta::days(i64::from(arguments.retention_days)),
        now: SystemTime::now().into(),
    };
    let store = arguments.database.open().await?;
    let only = match &arguments.project {
        Some(slug) => Some(find(&store, slug).await?),
        None => None,
    };
    let names = LogNames::read(&store).await?;
    let engine = Engine::new(store, Models::default(), EngineSettings::default());
    let mut reports = Vec::new();
    for chain in engine.audit.chains(&settings.heads).await? {
        if only.is_none_or(|only| only == chain.chain) {
            reports.push(engine.audit.verify(&chain, &settings).await?);
        }
    }
    print(&reports, &names, output)
}

fn outside_heads(files: &[PathBuf]) -> anyhow::Result<Vec<SignedHead>> {
    let mut heads = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        heads.extend(find_heads(&text).with_context(|| file.display().to_string())?);
    }
    Ok(heads)
}

fn print(reports: &[ChainReport], names: &LogNames, output: &Output) -> anyhow::Result<()> {
    let problems: usize = reports.iter().map(|report| report.problems.len()).sum();
    let chains: Vec<Value> = reports.iter().map(|report| item(report, names)).collect();
    let item = json!({ "problems": problems, "chains": chains, "not_detected": NOT_DETECTED });
    output.item("audit.verify/1", &item, || text(reports, names, output))?;
    match problems {
        0 => Ok(()),
        _ => {
            let message = format!("the audit log has {}", counted(problems, "problem"));
            Err(Failure::new(Kind::Check, "audit_problems", message)
                .fix("compare with a backup, and restrict who can write to the database")
                .into())
        }
    }
}

fn item(report: &ChainReport, names: &LogNames) -> Value {
    let problems: Vec<String> = report.problems.iter().map(ToString::to_string).collect();
    json!({
        "project": names.slug(report.chain),
        "chain": report.chain.number(),
        "links": report.links,
        "signed_through": report.signed.map(|signed| signed.sequence),
        "signed_at": report.signed.map(|signed| signed.at),
        "unsigned": report.unsigned,
        "waiting": report.waiting,
        "back_dated": report.back_dated,
        "problems": problems,
    })
}

fn text(reports: &[ChainReport], names: &LogNames, output: &Output) -> String {
    let mut table =
        Table::new(&["PROJECT", "LINKS", "SIGNED UP TO", "?UNSIGNED", "?WAITING", "?BACK-DATED", "RESULT"]);
    let mut lines = Vec::new();
    for report in reports {
        let name = names.of(report.chain);
        let signed = report.signed.map_or_else(
            || "-".to_owned(),
            |signed| format!("{} ({})", signed.sequence, signed.at.format("%Y-%m-%d %H:%M")),
        );
        let result = match report.problems.len() {
            0 => "intact".to_owned(),
            problems => counted(problems, "problem"),
        };
        let numbers = [report.links, report.unsigned, report.waiting, report.back_dated]
            .map(|number| number.to_string());
        let [links, unsigned, waiting, back_dated] = &numbers;
        table.row(&[&name, links, &signed, unsigned, waiting, back_dated, &result]);
        lines.extend(report.problems.iter().map(|problem| format!("{name}: {problem}")));
    }
    let table = table.text(output.terminal.width(), output.terminal.colour_out);
    let limits: Vec<String> = NOT_DETECTED.iter().map(|limit| format!("  - {limit}")).collect();
    let problems = if lines.is_empty() { String::new() } else { format!("{}\n\n", lines.join("\n")) };
    format!("{}\n\n{problems}This cannot detect:\n{}", table.trim_end(), limits.join("\n"))
}

//! The printed report.

#![expect(clippy::print_stdout, reason = "the report is what the run is for")]

use std::collections::BTreeMap;
use std::path::Path;

use reflect_scripted_provider::{CallKind, Counts};

use crate::audit::{Findings, Invariant, Violation};
use crate::client::{Log, Tally};
use crate::drain::Drained;
use crate::havoc::Done;

/// The first ones usually show the cause.
const SHOWN: usize = 20;

pub(crate) fn clients(log: &Log) {
    println!("clients: {} calls acknowledged, {} repeats compared", log.acknowledged(), log.compared);
    for (kind, Tally { acknowledged, refused, unanswered }) in &log.tallies {
        println!("  {kind}: {acknowledged} acknowledged, {refused} refused, {unanswered} unanswered");
    }
    println!("  statuses: {}", list(&log.statuses));
}

pub(crate) fn faults(done: &Done, calls: &Counts) {
    println!(
        "faults: {} servers and {} workers killed, {} workers stopped and woken, {} crashes of Postgres",
        done.servers, done.workers, done.zombies, done.crashes
    );
    let chat = calls.behaviours.get(&CallKind::Chat).map(list).unwrap_or_default();
    println!("provider: {} chat calls ({chat}), {} embeddings", calls.chat, calls.embeddings);
}

pub(crate) fn drained(drained: &Drained) {
    let seconds = drained.after.as_secs_f64();
    match drained.is_complete() {
        true => println!("drained after {seconds:.1} s"),
        false => println!("NOT drained after {seconds:.1} s: {} are left", drained.left),
    }
}

pub(crate) fn findings(findings: &Findings, log: &Path) {
    for note in &findings.notes {
        println!("note: {note}");
    }
    let mut kinds: BTreeMap<Invariant, usize> = BTreeMap::new();
    findings.violations.iter().for_each(|violation| *kinds.entry(violation.of).or_default() += 1);
    println!("violations: {}", findings.violations.len());
    for (invariant, count) in &kinds {
        println!("  {invariant:?}: {count}");
    }
    findings.violations.iter().take(SHOWN).for_each(|violation| println!("  {violation}"));
    if !findings.violations.is_empty() {
        println!("  the processes' log is {}", log.display());
    }
}

pub(crate) fn mutant(name: &str, done: &Done, caught: Option<&Violation>) {
    let faults = format!("{} kills, {} zombies", done.kills(), done.zombies);
    match caught {
        Some(violation) => println!("mutant {name}: caught ({faults}) by {violation}"),
        None => println!("mutant {name}: NOT caught ({faults})"),
    }
}

fn list<K: std::fmt::Display>(counts: &BTreeMap<K, impl std::fmt::Display>) -> String {
    counts.iter().map(|(what, count)| format!("{what} × {count}")).collect::<Vec<_>>().join(", ")
}

//! Prints the findings of redaction by class, and its cost per megabyte.

use std::process::ExitCode;
use std::time::Instant;

use reflect_bench_redaction::score::score;
use reflect_bench_redaction::{SEED, corpus, hostile};
use reflect_redaction::{Findings, Policy, Redactor, TagKey};
use serde_json::json;

const ROUNDS: usize = 20;
const MEGABYTES: usize = 32;
/// Four times the length takes four times as long, or sixteen times if the cost is quadratic.
const MOST_GROWTH: f64 = 10.0;

#[expect(clippy::print_stdout, reason = "this is what it is for")]
fn main() -> ExitCode {
    let verbose = std::env::args().any(|argument| argument == "--mistakes");
    // Small texts and no hostile texts, to check that it runs.
    let quick = std::env::args().any(|argument| argument == "--quick");
    let megabytes = if quick { 1 } else { MEGABYTES };
    let cases = corpus(SEED, if quick { 2 } else { ROUNDS });
    let scores = score(&cases);
    println!(
        "{:<16} {:>9} {:>7} {:>7} {:>7} {:>7}",
        "class", "precision", "recall", "found", "missed", "wrong"
    );
    for (class, score) in &scores.classes {
        let (precision, recall) = (score.precision(), score.recall());
        println!(
            "{:<16} {precision:>9.4} {recall:>7.4} {:>7} {:>7} {:>7}",
            class.name(),
            score.found,
            score.missed,
            score.wrong
        );
    }
    if verbose {
        scores.mistakes.iter().for_each(|mistake| println!("{mistake}"));
    }
    for (what, personal, text) in [
        (
            "trajectory without secrets",
            false,
            trajectory(megabytes, "the agent read the file and found nothing of note"),
        ),
        (
            "trajectory that talks of tokens",
            false,
            trajectory(megabytes, "set the password and the token in https://a.test"),
        ),
        (
            "trajectory without secrets, personal data masked",
            true,
            trajectory(megabytes, "the agent read the file"),
        ),
    ] {
        let policy = Policy { secrets: true, personal, ip_addresses: personal };
        let redactor = Redactor::new(policy, TagKey::new([9; 32]));
        redactor.json("[\"warm\"]", &mut Findings::default());
        let seconds = || {
            let begin = Instant::now();
            redactor.json(&text, &mut Findings::default());
            begin.elapsed().as_secs_f64()
        };
        // The best of three, because the machine may be shared.
        let seconds = (0..3).map(|_| seconds()).fold(f64::MAX, f64::min);
        let milliseconds = seconds * 1000.0 / (text.len() as f64 / 1024.0 / 1024.0);
        println!("{what}: {milliseconds:.2} ms per MB");
    }
    let costs = if quick { Vec::new() } else { hostile::costs() };
    let slowest = costs.iter().map(|cost| cost.milliseconds).fold(0.0, f64::max);
    let steepest = costs.iter().map(|cost| cost.growth).fold(0.0, f64::max);
    for cost in costs.iter().filter(|cost| verbose || cost.growth > MOST_GROWTH) {
        println!("hostile {:?}: {:.2} ms per MB, growth {:.1}", cost.part, cost.milliseconds, cost.growth);
    }
    println!(
        "hostile texts: at most {slowest:.2} ms per MB; four times the length takes at most {steepest:.1} times as long"
    );
    let total = scores.total;
    println!(
        "redaction: precision {:.4}, recall {:.4} over {} cases",
        total.precision(),
        total.recall(),
        cases.len()
    );
    if steepest > MOST_GROWTH { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A long list of messages, each with some words and an image.
fn trajectory(megabytes: usize, said: &str) -> String {
    let image = "iVBORw0KGgoAAAANSUhEUgAAAAUA".repeat(60);
    let message = json!({ "role": "assistant", "content": said.repeat(20), "image": image });
    let count = megabytes * 1024 * 1024 / message.to_string().len();
    serde_json::Value::from(vec![message; count]).to_string()
}

//! The results as tables, as one line, and as a file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::json;

use crate::arms::{ENDS_WHEN_SHOWN, LIKE_TASKS, MEMRL, NONE, PER_RUN, PRODUCT, SIMILARITY, UNGROUPED};
use crate::measure::{FIGURES, Plan, Results};

/// What is compared on held-out tickets. The last ones answer how a run becomes lessons, how states are compared,
/// and when the bonus of new memories ends.
const COMPARED: [(&str, &str); 7] = [
    (PRODUCT, NONE),
    (PRODUCT, SIMILARITY),
    (PRODUCT, MEMRL),
    (PRODUCT, UNGROUPED),
    (PER_RUN, UNGROUPED),
    (LIKE_TASKS, PRODUCT),
    (ENDS_WHEN_SHOWN, PRODUCT),
];

/// All results as tables in Markdown.
pub fn tables(results: &Results) -> String {
    let mut text = String::from("| Arm |");
    for (name, _) in FIGURES {
        let _ = write!(text, " {name} |");
    }
    let _ = writeln!(text, "\n|---|{}", "---|".repeat(FIGURES.len()));
    for arm in &results.arms {
        let _ = write!(text, "| {} |", arm.arm);
        for (_, figure) in FIGURES {
            let _ = write!(text, " {:.1} |", arm.mean(figure));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "\nHeld out, paired over seeds, 95 % intervals:\n");
    for (one, other) in COMPARED {
        if let Some(difference) = results.difference(one, other) {
            let (mean, low, high) = (difference.mean, difference.low, difference.high);
            let _ = writeln!(text, "- {one} − {other}: {mean:+.1} [{low:+.1}, {high:+.1}]");
        }
    }
    text
}

/// Success on held-out tickets of the compared arms, in one line.
pub fn summary(results: &Results) -> String {
    let arms = [NONE, SIMILARITY, MEMRL, PRODUCT].map(|name| {
        let mean = results.arm(name).map_or(f64::NAN, |arm| arm.mean(|figures| figures.held_out));
        format!("{name} {mean:.1}")
    });
    format!("ticket-stream: {}", arms.join(", "))
}

/// Writes figures and tables to a folder.
pub fn write(folder: &Path, plan: &Plan, results: &Results) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let differences = COMPARED.map(|(one, other)| {
        json!({ "one": one, "other": other, "figure": "held_out", "difference": results.difference(one, other) })
    });
    let figures = json!({
        "tickets": plan.sizes.tickets,
        "held_out": plan.sizes.held_out,
        "seeds": plan.seeds,
        "arms": results.arms,
        "differences": differences,
    });
    let files = [
        ("ticket-stream.json", serde_json::to_string_pretty(&figures)?),
        ("ticket-stream.md", tables(results)),
    ];
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

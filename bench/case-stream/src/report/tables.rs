//! Tables in Markdown.

use std::fmt::Write as _;

use super::sets;
use crate::arms::{MEMRL, NONE, RECOMMENDED, SIMILARITY};
use crate::data::SetName;
use crate::environment::REGIMES;
use crate::measure::{FIGURES, Figure, Results};

/// Arms whose curves are shown.
pub(super) const CURVES: [&str; 4] = [NONE, SIMILARITY, MEMRL, RECOMMENDED];

/// All results as tables.
pub fn tables(results: &Results) -> String {
    let mut text = String::new();
    for (name, figure) in FIGURES {
        by_arm(&mut text, results, title(name), figure);
    }
    for (name, figure) in FIGURES {
        differences(&mut text, results, title(name), figure);
    }
    curves(&mut text, results);
    text
}

fn title(figure: &str) -> &'static str {
    match figure {
        "overall" => "Success in the whole stream, %",
        "last_quarter" => "Success in the last quarter of the stream, %",
        _ => "Success on held-out tasks, %",
    }
}

/// The regimes of the measured datasets.
fn columns(results: &Results) -> Vec<(SetName, &'static str)> {
    let sets = sets(results).into_iter();
    let all = sets.flat_map(|set| REGIMES.iter().map(move |regime| (set, regime.name)));
    all.filter(|(set, regime)| results.cell(*set, regime, RECOMMENDED).is_some()).collect()
}

fn by_arm(text: &mut String, results: &Results, title: &str, figure: Figure) {
    let columns = columns(results);
    let heads: Vec<String> =
        columns.iter().map(|(set, regime)| format!("{} {regime}", set.title())).collect();
    let _ =
        writeln!(text, "### {title}\n\n| Arm | {} |\n|---|{}", heads.join(" | "), "---|".repeat(heads.len()));
    let mut arms: Vec<&str> = Vec::new();
    for cell in &results.cells {
        if !arms.contains(&cell.arm) {
            arms.push(cell.arm);
        }
    }
    for arm in arms {
        let bold = if arm == RECOMMENDED { "**" } else { "" };
        let _ = write!(text, "| {bold}{arm}{bold} |");
        for (set, regime) in &columns {
            let cell = results.cell(*set, regime, arm).map_or(f64::NAN, |cell| cell.mean(figure));
            let _ = write!(text, " {bold}{cell:.1}{bold} |");
        }
        text.push('\n');
    }
    text.push('\n');
}

fn differences(text: &mut String, results: &Results, title: &str, figure: Figure) {
    let _ = writeln!(
        text,
        "### Recommended against others, paired over seeds, 95 % intervals: {title}\n\n| Cell | to similarity | to MemRL |\n|---|---|---|"
    );
    for (set, regime) in columns(results) {
        let _ = write!(text, "| {} {regime} |", set.title());
        for rival in [SIMILARITY, MEMRL] {
            match results.difference((set, regime), RECOMMENDED, rival, figure) {
                Some(d) => {
                    let _ = write!(text, " {:+.1} [{:+.1}, {:+.1}] |", d.mean, d.low, d.high);
                }
                None => text.push_str(" |"),
            }
        }
        text.push('\n');
    }
    text.push('\n');
}

fn curves(text: &mut String, results: &Results) {
    let parts = results.cells.first().map_or(0, |cell| cell.curve().len());
    let heads: Vec<String> = (1..=parts).map(|part| part.to_string()).collect();
    let _ = writeln!(
        text,
        "### Success in each eighth of the stream, %\n\n| | {} |\n|---|{}",
        heads.join(" | "),
        "---|".repeat(parts)
    );
    for (set, regime) in columns(results) {
        for arm in CURVES {
            let Some(cell) = results.cell(set, regime, arm) else { continue };
            let values: Vec<String> = cell.curve().iter().map(|value| format!("{value:.1}")).collect();
            let _ = writeln!(text, "| {} {regime}, {arm} | {} |", set.title(), values.join(" | "));
        }
    }
}

//! Tables in Markdown.

use std::fmt::Write as _;

use super::sets;
use crate::arms::{FINAL, LESSON_ARMS, MEMRL, NONE, RECOMMENDED, SIMILARITY};
use crate::data::SetName;
use crate::environment::{REGIMES, Regime};
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
    lessons(&mut text, results);
    curves(&mut text, results);
    text
}

fn title(figure: &str) -> &'static str {
    match figure {
        "overall" => "Success in the whole stream, %",
        "last_quarter" => "Success in the last quarter of the stream, %",
        "first_500" => "Success in the first 500 tasks, %",
        _ => "Success on held-out tasks, %",
    }
}

/// The regimes of the measured datasets in which every arm runs.
fn columns(results: &Results) -> Vec<(SetName, &'static str)> {
    measured(results, |regime| regime.every_arm)
}

fn measured(results: &Results, wanted: fn(&Regime) -> bool) -> Vec<(SetName, &'static str)> {
    let sets = sets(results).into_iter();
    let regimes = REGIMES.iter().filter(|regime| wanted(regime)).map(|regime| regime.name);
    let all = sets.flat_map(|set| regimes.clone().map(move |regime| (set, regime)));
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
        let bold = if [RECOMMENDED, FINAL].contains(&arm) { "**" } else { "" };
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
            difference(text, results, (set, regime), (RECOMMENDED, rival), figure);
        }
        text.push('\n');
    }
    text.push('\n');
}

fn difference(
    text: &mut String,
    results: &Results,
    cell: (SetName, &str),
    (one, other): (&str, &str),
    figure: Figure,
) {
    match results.difference(cell, one, other, figure) {
        Some(d) => {
            let _ = write!(text, " {:+.1} [{:+.1}, {:+.1}] |", d.mean, d.low, d.high);
        }
        None => text.push_str(" |"),
    }
}

/// The arms with lessons against one memory for every run, in every regime: K has a clean bank, R repeated tasks.
fn lessons(text: &mut String, results: &Results) {
    text.push_str(
        "### Lessons: how many there are, and success against one memory for every run, paired, 95 % intervals\n\n\
         | Cell, arm | lessons | searched memories | lessons in an answer | held out | held out, to recommended \
         | whole stream, to recommended | first 500, to recommended | held out, to similarity \
         | whole stream, to similarity | first 500, to similarity |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (set, regime) in measured(results, |_| true) {
        for arm in [RECOMMENDED].into_iter().chain(LESSON_ARMS) {
            let Some(cell) = results.cell(set, regime, arm) else { continue };
            let _ = write!(
                text,
                "| {} {regime}, {arm} | {:.0} | {:.0} | {:.2} | {:.1} |",
                set.title(),
                cell.mean(|figures| figures.lessons),
                cell.mean(|figures| figures.situations),
                cell.mean(|figures| figures.lessons_shown),
                cell.mean(|figures| figures.held_out),
            );
            let figures: [Figure; 3] =
                [|figures| figures.held_out, |figures| figures.overall, |figures| figures.first_500];
            for rival in [RECOMMENDED, SIMILARITY] {
                for figure in figures {
                    difference(text, results, (set, regime), (arm, rival), figure);
                }
            }
            text.push('\n');
        }
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

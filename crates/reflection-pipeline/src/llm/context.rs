//! The sections of the prompt with the data of a run.

use crate::input::ReflectionInput;
use crate::level::ReflectionLevel;
use crate::result::ReflectionResult;
use crate::trajectory::{Entry, fit, label, neutralise, render, shorten};

/// Longer sections are shortened in the middle. The trajectory has its own budget.
const SECTION_TOKENS: usize = 4_000;
/// The maximum number of notes. The newest are used.
const NOTES: usize = 20;
const NOTE_TOKENS: usize = 400;
const NOTHING: &str = "(nothing was recorded)";
/// An empty answer is shown; an unknown answer is not.
const EMPTY: &str = "(empty)";

const INPUT: &str = "Input";
const OUTPUT: &str = "Output";
const ERROR: &str = "Error";
const ITERATION: &str = "Iteration";
const OUTCOME: &str = "Outcome";
const FEEDBACK: &str = "Feedback";
const REFERENCE: &str = "Reference context";
const NOTES_TITLE: &str = "Earlier notes";
const TRAJECTORY: &str = "Trajectory";
const REFLECTIONS: &str = "Earlier reflections";
const TITLES: [&str; 10] =
    [INPUT, OUTPUT, ERROR, ITERATION, OUTCOME, FEEDBACK, REFERENCE, NOTES_TITLE, TRAJECTORY, REFLECTIONS];

/// All sections that the level shows, in a fixed order.
pub(super) fn sections(input: &ReflectionInput, level: ReflectionLevel, budget: usize) -> String {
    let own_titles: Vec<String> = input.sections.iter().map(|section| label(&section.title)).collect();
    let titles: Vec<&str> = TITLES.into_iter().chain(own_titles.iter().map(String::as_str)).collect();
    let section = |title: &str, text: &Option<String>| {
        let text = text.as_deref()?.trim();
        let text = if text.is_empty() { EMPTY } else { text };
        Some(format!("[{title}]\n{}", plain(&shorten(text, SECTION_TOKENS), &titles)))
    };
    let deeper = level > ReflectionLevel::Shallow;
    let own = input.sections.iter().zip(&own_titles);
    let own = own.map(|(extra, title)| section(title, &Some(extra.text.clone())));

    let fixed = [
        section(INPUT, &input.input),
        section(OUTPUT, &input.output),
        section(ERROR, &input.error),
        input.iteration.map(|n| format!("[{ITERATION}] {n}")),
        outcome(input),
        section(FEEDBACK, &input.feedback),
        section(REFERENCE, &input.reference_context).filter(|_| deeper),
        notes(&input.earlier_notes, &titles).filter(|_| deeper),
    ];
    let trajectory = (level.shows_trajectory() && !input.trajectory.is_empty())
        .then(|| format!("[{TRAJECTORY}]\n{}", plain(&render(&input.trajectory, budget).text, &titles)));
    let reflections = (level == ReflectionLevel::Meta && !input.earlier_reflections.is_empty()).then(|| {
        format!("[{REFLECTIONS}]\n{}", plain(&reflections(&input.earlier_reflections, budget), &titles))
    });

    let all = fixed.into_iter().chain(own).chain([trajectory, reflections]);
    let all: Vec<String> = all.flatten().collect();
    if all.is_empty() { NOTHING.to_owned() } else { all.join("\n\n") }
}

fn outcome(input: &ReflectionInput) -> Option<String> {
    let verdict = input.passed.map(|passed| if passed { "pass" } else { "fail" }.to_owned());
    let score = input.score.map(|score| format!("score {score}"));
    let cost = input.cost.map(|cost| format!("cost {cost}"));
    let said: Vec<String> = [verdict, score, cost].into_iter().flatten().collect();
    (!said.is_empty()).then(|| format!("[{OUTCOME}] {}", said.join(", ")))
}

fn notes(notes: &[String], titles: &[&str]) -> Option<String> {
    let newest = &notes[notes.len().saturating_sub(NOTES)..];
    let lines = newest.iter().map(|note| format!("- {}", plain(&shorten(note, NOTE_TOKENS), titles)));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| format!("[{NOTES_TITLE}]\n{}", lines.join("\n")))
}

fn reflections(earlier: &[ReflectionResult], budget: usize) -> String {
    let entries = earlier.iter().enumerate().map(|(index, result)| {
        let lists = [
            ("findings", &result.key_findings),
            ("root causes", &result.root_causes),
            ("insights", &result.insights),
            ("suggestions", &result.suggestions),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let lists = lists.map(|(title, list)| format!("{title}: {}", list.join(" | ")));
        let body: Vec<String> = std::iter::once(result.summary.clone()).chain(lists).collect();
        Entry::new(format!("[{}] {}, {}", index + 1, result.reflection_type, result.level), body.join("\n"))
    });
    fit(&entries.collect::<Vec<_>>(), budget).text
}

/// Keeps a text from opening a section: `[Feedback]` at the start of a line becomes `(Feedback)`.
fn plain(text: &str, titles: &[&str]) -> String {
    let line = |line: &str| {
        let start = line.trim_start();
        let indent = &line[..line.len() - start.len()];
        let titled = start.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        match titled {
            Some((title, rest)) if titles.iter().any(|known| known.eq_ignore_ascii_case(title.trim())) => {
                format!("{indent}({title}){rest}")
            }
            _ => line.to_owned(),
        }
    };
    neutralise(text).split('\n').map(line).collect::<Vec<_>>().join("\n")
}

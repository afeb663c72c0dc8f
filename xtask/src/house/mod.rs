//! `cargo xtask house`: measures how easy the code is to follow, and compares the figures with their limits.
//!
//! Prints, per crate: module cycles, upward imports, the type with the most methods, and file sizes; then, for the whole
//! workspace, duplicate public type names, marker words, and the source files that run for three requests. `modules`
//! defines cycles and upward imports; `journeys` defines what counts as a file of a request.

mod journeys;
pub(crate) mod marker_words;
mod modules;
mod syntax;
pub(crate) mod type_names;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::repository;
use crate::sources::{Member, SourceFile, Tree};
use journeys::Journeys;
use marker_words::MarkerWords;
use modules::Modules;

/// Crates that still import items from their root file. In these crates upward imports are reported; in every other
/// crate they exceed the limit. A module cycle exceeds the limit in every crate.
const MAY_IMPORT_UPWARD: [&str; 4] = ["model", "model-local", "redaction", "types"];
const MAX_METHODS: usize = 15;
/// Crates of test code, whose types may have more methods.
const TEST_CRATES: [&str; 2] = ["test-support", "scripted-provider"];
/// How many details of one kind are listed.
const MAX_LISTED: usize = 40;

/// What the command line asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Options {
    /// Always exit with success.
    report_only: bool,
    /// Skip the journeys, which need built programs and a database.
    static_only: bool,
}

/// The figures of the last line, and what exceeds a limit.
#[derive(Default)]
struct Totals {
    cycles: usize,
    methods: usize,
    exceeded: Vec<String>,
}

/// Runs `house` with the words that follow it.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let mut options = Options { report_only: false, static_only: false };
    for word in words {
        match *word {
            "--report" => options.report_only = true,
            "--static" => options.static_only = true,
            other => bail!("unknown option `{other}`; `house` takes --report and --static"),
        }
    }
    let root = repository::root()?;
    let tree = Tree::read(&root)?;
    let mut totals = Totals::default();
    print_crates(&tree, &mut totals);
    print_type_names(&tree, &mut totals);
    let words = print_marker_words(&tree, &MarkerWords::read(&root)?, &mut totals);
    let journeys = if options.static_only { None } else { Some(journeys::measure(&root)?) };
    print_journeys(journeys.as_ref(), &mut totals);
    if !totals.exceeded.is_empty() {
        println!("\nover the limit:");
        totals.exceeded.iter().for_each(|one| println!("  {one}"));
    }
    let journeys = journeys.map_or_else(|| "not measured".to_owned(), |journeys| journeys.to_string());
    println!(
        "\nhouse: {} cycles, largest type {} methods, journeys {journeys}, {words} marker words",
        totals.cycles, totals.methods
    );
    Ok(if totals.exceeded.is_empty() || options.report_only { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print_crates(tree: &Tree, totals: &mut Totals) {
    let mut crates: BTreeMap<&str, Vec<&SourceFile>> = BTreeMap::new();
    for (member, file) in tree.rust_sources() {
        if let Member::Product(name) = member {
            crates.entry(name).or_default().push(file);
        }
    }
    println!(
        "{:20} {:>6} {:>7} {:>8}  {:>5} {:>4} {:>4}  most methods",
        "crate", "cycles", "upward", "files", "med", "p90", "max"
    );
    let mut details = Vec::new();
    for (name, files) in crates {
        let prefix = format!("crates/{name}/src/");
        let sources = files.iter().map(|file| {
            let inside = file.path.strip_prefix(&prefix).unwrap_or(&file.path);
            (file.path.as_str(), inside, file.text.as_str())
        });
        let modules = Modules::of(sources);
        let (cycles, upward, methods) = (modules.cycles(), modules.upward_imports(), modules.methods());
        let sizes = Sizes::of(files.iter().map(|file| file.text.lines().count()));
        let (most, largest) = methods.first().cloned().unwrap_or_default();
        println!(
            "{name:20} {:>6} {:>7} {:>8}  {:>5} {:>4} {:>4}  {most} {largest}",
            cycles.len(),
            upward.len(),
            files.len(),
            sizes.median,
            sizes.p90,
            sizes.max
        );
        totals.cycles += cycles.len();
        for cycle in &cycles {
            details.push(format!("cycle in {name}: {}", cycle.modules.join(", ")));
            details.extend(cycle.examples.iter().take(MAX_LISTED).map(|example| format!("    {example}")));
            totals.exceeded.push(format!("{name}: cycle of {}", cycle.modules.join(", ")));
        }
        let imports = upward.iter().map(|one| format!("upward: {}:{} uses {}", one.file, one.line, one.item));
        details.extend(imports.take(MAX_LISTED));
        if !MAY_IMPORT_UPWARD.contains(&name) && !upward.is_empty() {
            totals.exceeded.push(format!("{name}: {} upward imports", upward.len()));
        }
        if TEST_CRATES.contains(&name) {
            continue;
        }
        totals.methods = totals.methods.max(most);
        let large = methods.iter().filter(|(count, _)| *count > MAX_METHODS);
        totals.exceeded.extend(large.map(|(count, kind)| format!("{name}: {kind} has {count} methods")));
    }
    details.iter().for_each(|line| println!("{line}"));
}

fn print_type_names(tree: &Tree, totals: &mut Totals) {
    let duplicates = type_names::duplicates(tree);
    println!("\nduplicate public type names: {}", duplicates.len());
    for (name, places) in &duplicates {
        let places: Vec<String> = places.iter().map(|(path, line)| format!("{path}:{line}")).collect();
        println!("  {name}: {}", places.join(", "));
    }
    if !duplicates.is_empty() {
        totals.exceeded.push(format!("{} duplicate public type names", duplicates.len()));
    }
}

fn print_marker_words(tree: &Tree, words: &MarkerWords, totals: &mut Totals) -> usize {
    let found = words.search(tree);
    println!("\nmarker words: {}", found.len());
    for one in found.iter().take(MAX_LISTED) {
        println!("  {}:{}: {}", one.path, one.line, one.word);
    }
    if found.len() > MAX_LISTED {
        let files: BTreeSet<&str> = found.iter().map(|one| one.path.as_str()).collect();
        println!("  … and {} more, in {} files overall", found.len() - MAX_LISTED, files.len());
    }
    if !found.is_empty() {
        totals.exceeded.push(format!("{} marker words", found.len()));
    }
    found.len()
}

fn print_journeys(journeys: Option<&Journeys>, totals: &mut Totals) {
    let Some(journeys) = journeys else {
        return println!("\njourneys: not measured (--static)");
    };
    println!("\n{}", journeys::EXPLANATION);
    for (journey, files) in &journeys.measured {
        println!("{}: {} files, at most {}", journey.title, files.len(), journey.limit);
        files.iter().for_each(|file| println!("  {file}"));
        if files.len() > journey.limit {
            totals.exceeded.push(format!(
                "{}: {} files, at most {}",
                journey.title,
                files.len(),
                journey.limit
            ));
        }
    }
}

/// How long files are, in lines.
#[derive(Debug, PartialEq, Eq)]
struct Sizes {
    median: usize,
    p90: usize,
    max: usize,
}

impl Sizes {
    fn of(lines: impl Iterator<Item = usize>) -> Self {
        let mut lines: Vec<usize> = lines.collect();
        lines.sort_unstable();
        let at =
            |share: usize| lines.get((lines.len().saturating_sub(1)) * share / 100).copied().unwrap_or(0);
        Self { median: at(50), p90: at(90), max: at(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_percentiles() {
        assert_eq!(Sizes::of((1..=11).rev()), Sizes { median: 6, p90: 10, max: 11 });
        assert_eq!(Sizes::of([].into_iter()), Sizes { median: 0, p90: 0, max: 0 });
    }
}

//! `cargo xtask docs`: the book is whole and true.
//!
//! Every link inside the repository leads somewhere, every page is in the index, every generated page is fresh,
//! and every block of code is run, checked, or says why not. A book with faults is checked as well, and all of
//! them must be found. What the pages say is for people to judge.

mod blocks;
mod checked;
mod coverage;
mod curl;
mod error_codes;
mod generated;
mod index;
mod links;
mod page;
mod report;
mod rest;
mod run;
mod self_test;
mod session;
mod world;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::links::BOOK;
use self::page::Page;
use self::run::{Depth, Stage, Tally};
use self::world::Programs;
use crate::repository;
use crate::temporary_folder::TemporaryFolder;

/// Outside the book, but its code runs as well.
const README: &str = "README.md";

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    generate: bool,
    depth: Depth,
    /// These pages only; all when empty.
    only: Vec<String>,
}

/// Runs `docs` with the words that follow it.
pub(crate) fn run(words: &[&str]) -> Result<ExitCode> {
    let request = parse(words)?;
    let root = repository::root()?;
    let programs = Programs::find(&root)?;
    let openapi = std::fs::read_to_string(root.join("openapi.json")).context("cannot read openapi.json")?;
    let openapi: Value = serde_json::from_str(&openapi).context("openapi.json is no JSON")?;
    if request.generate {
        for made in generated::all(&root, &programs, &openapi, &pages(&root)?)? {
            made.write(&root)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let pages = pages(&root)?;
    let (links, mut complaints) = links::check(&root, &pages);
    complaints.extend(
        generated::all(&root, &programs, &openapi, &pages)?.iter().filter_map(|made| made.fault(&root)),
    );
    let files = repository::files(&root)?;
    complaints.extend(error_codes::check(&root, &files)?);
    complaints.extend(coverage::check(&root, &openapi, &coverage::table(&root)?, &files)?);
    let stage = Stage { programs: &programs, openapi: &openapi, depth: request.depth, with_server: true };
    let (book, mut tally) = run_book(&stage, &pages, &request.only)?;
    complaints.append(&mut tally.complaints);
    if request.depth == Depth::Everything && request.only.is_empty() {
        let folder = TemporaryFolder::make()?;
        let found = self_test::faults_found(&programs, &openapi, folder.path())?;
        println!("self test: {found} faults of {found} found");
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    print_reasons(&tally);
    let (all, run, checked, not_run) = (tally.blocks(), tally.run, tally.checked, tally.not_run.len());
    println!(
        "docs: {book} pages, {links} links, {all} blocks: {run} run, {checked} checked, {not_run} not run"
    );
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn parse(words: &[&str]) -> Result<Request> {
    let mut request = Request { generate: false, depth: Depth::Everything, only: Vec::new() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--generate" => request.generate = true,
            "--check-only" => request.depth = Depth::CheckOnly,
            "--only" => request.only.push((*words.next().context("--only needs a page")?).to_owned()),
            other => bail!("`docs` takes --generate, --check-only and --only PAGE, not {other}"),
        }
    }
    Ok(request)
}

/// Every page of the repository.
fn pages(root: &Path) -> Result<Vec<Page>> {
    let files = repository::files(root)?;
    let pages = files.iter().filter(|path| path.ends_with(".md") && root.join(path).is_file());
    let read = |path: &String| Ok(page::read(path, &std::fs::read_to_string(root.join(path))?));
    pages.map(read).collect()
}

/// How many pages the book has, and what became of their blocks.
fn run_book(stage: &Stage<'_>, pages: &[Page], only: &[String]) -> Result<(usize, Tally)> {
    let mut tally = Tally::default();
    let book: Vec<&Page> =
        pages.iter().filter(|page| page.path.starts_with(BOOK) || page.path == README).collect();
    for page in &book {
        if !only.is_empty() && !only.contains(&page.path) {
            continue;
        }
        let folder = TemporaryFolder::make()?;
        let done = run::page(stage, page, folder.path())
            .with_context(|| format!("{} could not be run", page.path))?;
        if done.run > 0 && stage.depth == Depth::Everything {
            let how = if done.complaints.is_empty() { "ok" } else { "FAIL" };
            println!("{how:<5} {}: {} blocks run", page.path, done.run);
        }
        tally.add(done);
    }
    Ok((book.len(), tally))
}

/// Every block that did not run, by reason.
fn print_reasons(tally: &Tally) {
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (reason, place) in &tally.not_run {
        by_reason.entry(reason).or_default().push(place);
    }
    for (reason, places) in by_reason {
        let words = blocks::REASONS.iter().find(|(name, _)| *name == reason).map_or("", |(_, words)| words);
        let shown = places.iter().take(8).copied().collect::<Vec<_>>().join(", ");
        let more = if places.len() > 8 { format!(" and {} more", places.len() - 8) } else { String::new() };
        println!("not run, {reason} ({words}): {}: {shown}{more}", places.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(parse(&["--only"]).is_err());
        assert!(parse(&["--fast"]).is_err());
        let request = parse(&["--check-only", "--only", "docs/API.md"]).unwrap();
        assert_eq!((request.depth, request.only), (Depth::CheckOnly, vec!["docs/API.md".to_owned()]));
    }
}

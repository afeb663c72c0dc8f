//! Checks that every link inside the repository has a target, and that every page is in the index.
//!
//! Links to other hosts are not checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::page::Page;
use super::report::Complaint;

/// The page that lists all others.
pub(crate) const INDEX: &str = "docs/README.md";
/// The folder of the documentation.
pub(crate) const BOOK: &str = "docs/";
/// Pages that another page lists: the index of the ADRs lists the ADRs.
const LISTED_ELSEWHERE: &[(&str, &str)] = &[("docs/adr/", "docs/adr/README.md")];
/// Generated from the index, so their links prove nothing.
const MADE_FROM_THE_INDEX: &[&str] = &["docs/SUMMARY.md"];

/// The number of checked links, and the errors.
pub(crate) fn check(root: &Path, pages: &[Page]) -> (usize, Vec<Complaint>) {
    let by_path: BTreeMap<&str, &Page> = pages.iter().map(|page| (page.path.as_str(), page)).collect();
    let mut followed = 0;
    let mut complaints = Vec::new();
    for page in pages {
        for link in &page.links {
            let Some((target, anchor)) = inside(&page.path, &link.target) else { continue };
            followed += 1;
            if let Some(why) = fault(root, &by_path, &target, anchor.as_deref()) {
                complaints.push(Complaint::new(&page.path, link.line, format!("`{}`: {why}", link.target)));
            }
        }
    }
    complaints.extend(unlisted(&by_path));
    (followed, complaints)
}

/// The target of a link if it is inside the repository: the path from the root, and the anchor.
fn inside(from: &str, target: &str) -> Option<(String, Option<String>)> {
    let elsewhere = target.contains("://") || target.starts_with("mailto:");
    if elsewhere || target.is_empty() {
        return None;
    }
    let (path, anchor) = match target.split_once('#') {
        Some((path, anchor)) => (path, Some(anchor.to_owned())),
        None => (target, None),
    };
    if path.is_empty() {
        return Some((from.to_owned(), anchor));
    }
    let path = path.split('?').next().unwrap_or_default().replace("%20", " ");
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    Some((joined(folder, &path), anchor))
}

fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            // A path that leaves the repository is kept, so that it is reported as missing.
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    parts.join("/")
}

fn fault(
    root: &Path,
    pages: &BTreeMap<&str, &Page>,
    target: &str,
    anchor: Option<&str>,
) -> Option<&'static str> {
    if !root.join(target).exists() {
        return Some("the file does not exist");
    }
    let anchor = anchor?;
    let page = pages.get(target)?;
    (!page.anchors.iter().any(|known| known == anchor)).then_some("the page does not have this heading")
}

/// Pages that no page links to.
fn unlisted(pages: &BTreeMap<&str, &Page>) -> Vec<Complaint> {
    let listed_by = |list: &str| -> BTreeSet<String> {
        let links = pages.get(list).into_iter().flat_map(|page| &page.links);
        links.filter_map(|link| Some(inside(list, &link.target)?.0)).collect()
    };
    let index = listed_by(INDEX);
    let mut complaints = Vec::new();
    for path in pages.keys().filter(|path| path.starts_with(BOOK)) {
        let elsewhere =
            LISTED_ELSEWHERE.iter().find(|(folder, list)| path.starts_with(folder) && path != list);
        let found = match elsewhere {
            _ if *path == INDEX || MADE_FROM_THE_INDEX.contains(path) => true,
            Some((_, list)) => listed_by(list).contains(*path),
            None => index.contains(*path),
        };
        if !found {
            let list = elsewhere.map_or(INDEX, |(_, list)| list);
            complaints.push(Complaint::new(path, 1, format!("no page links here: add it to {list}")));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::docs::page;
    use crate::temporary_folder::TemporaryFolder;

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let folder = TemporaryFolder::create();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let pages: Vec<Page> = files.iter().map(|(path, text)| page::read(path, text)).collect();
        check(folder.path(), &pages).1.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_with_a_target_are_valid() {
        let index =
            "[a](a.md#part-one) [up](../README.md) [folder](../docs/) [elsewhere](https://example.org/x#y)";
        let found = complaints(&[
            ("README.md", "[book](docs/README.md)"),
            (INDEX, index),
            ("docs/a.md", "# A\n## Part one\n[here](#a)\n"),
        ]);

        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn a_missing_file_and_a_missing_heading_are_reported_with_their_line() {
        let found = complaints(&[(INDEX, "[a](a.md)\n[b](a.md#gone)\n[c](b.md)\n"), ("docs/a.md", "# A\n")]);

        assert_eq!(
            found,
            [
                "docs/README.md:2: `a.md#gone`: the page does not have this heading",
                "docs/README.md:3: `b.md`: the file does not exist",
            ]
        );
    }

    #[test]
    fn a_page_that_is_in_no_index_is_reported() {
        let found = complaints(&[
            (INDEX, "[decisions](adr/README.md)"),
            ("docs/adr/README.md", "[one](0001-one.md)"),
            ("docs/adr/0001-one.md", "# One"),
            ("docs/adr/0002-two.md", "# Two"),
            ("docs/lost.md", "# Lost"),
        ]);

        let lost = ["docs/adr/0002-two.md:1: no page", "docs/lost.md:1: no page"];
        assert!(
            found.len() == 2 && found.iter().zip(lost).all(|(found, start)| found.starts_with(start)),
            "{found:?}"
        );
    }
}

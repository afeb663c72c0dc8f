//! The index of the documentation, docs/README.md, and the files generated from it: SUMMARY.md for mdBook, llms.txt and
//! llms-full.txt for language models.
//!
//! A part is a second-level heading. A page is a list entry below it: `- [Title](path): description`.

use std::fmt::Write as _;

use super::links::INDEX;
use super::page::Page;

/// A part of the documentation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    title: String,
    entries: Vec<Entry>,
}

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    title: String,
    /// The description in the index.
    path: String,
    about: String,
}

/// The parts of the index.
pub(crate) fn parts(index: &str) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for line in index.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            parts.push(Part { title: title.trim().to_owned(), entries: Vec::new() });
        } else if let (Some(part), Some(entry)) = (parts.last_mut(), entry(line)) {
            part.entries.push(entry);
        } else if let Some(entry) = parts.last_mut().and_then(|part| part.entries.last_mut())
            && let Some(more) = line.strip_prefix("  ")
        {
            entry.about.push(' ');
            entry.about.push_str(more.trim());
        }
    }
    parts.retain(|part| !part.entries.is_empty());
    parts
}

fn entry(line: &str) -> Option<Entry> {
    let (title, rest) = line.strip_prefix("- [")?.split_once("](")?;
    let (path, about) = rest.split_once(')')?;
    let about = about.trim_start_matches(':').trim();
    Some(Entry { title: title.to_owned(), path: path.to_owned(), about: about.to_owned() })
}

/// SUMMARY.md, the table of contents of mdBook. The ADRs are below their own index.
pub(crate) fn summary(parts: &[Part], pages: &[Page]) -> String {
    let mut summary = "# Summary\n\n[The book](README.md)\n".to_owned();
    for part in parts {
        let _ = write!(summary, "\n# {}\n\n", part.title);
        // mdBook shows only files in its folder.
        for entry in part.entries.iter().filter(|entry| !entry.path.starts_with("..")) {
            let _ = writeln!(summary, "- [{}]({})", entry.title, entry.path);
            if let Some(folder) = entry.path.strip_suffix("README.md") {
                let below = format!("docs/{folder}");
                let list = format!("{below}README.md");
                for page in pages.iter().filter(|page| page.path.starts_with(&below) && page.path != list) {
                    let _ =
                        writeln!(summary, "  - [{}]({})", page.title, page.path.trim_start_matches("docs/"));
                }
            }
        }
    }
    summary
}

/// llms.txt: all pages with their descriptions, with links from the repository's root.
pub(crate) fn llms(parts: &[Part]) -> String {
    let mut text = "# Reflect\n\n> A self-hosted server that gives AI agents a memory which learns from outcomes. An \
                    agent's run is stored as a trace; a review says pass or fail; a reviewed trace becomes a memory; \
                    the next run of a similar task is given the memories that have helped before.\n\n\
                    One binary and one PostgreSQL with pgvector. `llms-full.txt` holds the tutorial, the how-to \
                    guides and the explanations in one file.\n"
        .to_owned();
    for part in parts {
        let _ = write!(text, "\n## {}\n\n", part.title);
        for entry in &part.entries {
            let path = format!("docs/{}", entry.path).replace("docs/../", "");
            let _ = writeln!(text, "- [{}]({path}): {}", entry.title, entry.about);
        }
    }
    text
}

/// llms-full.txt: the text of all pages except the reference pages, which are long.
pub(crate) fn llms_full(parts: &[Part], text_of: impl Fn(&str) -> Option<String>) -> String {
    let mut full = "# Reflect: the book in one file\n".to_owned();
    for part in parts.iter().filter(|part| !["Reference", "Project"].contains(&part.title.as_str())) {
        for entry in &part.entries {
            let path = format!("docs/{}", entry.path);
            if path != INDEX
                && let Some(text) = text_of(&path)
            {
                let _ = write!(full, "\n<!-- {path} -->\n\n{}\n", text.trim_end());
            }
        }
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Book\n\n- [no part](x.md)\n\n## Tutorial\n\nWords.\n\n- [First](tutorial/a.md): from nothing\n  \
        to something\n\n## Reference\n\n- [Decisions](adr/README.md): why\n- [Python](../sdks/README.md): the client\n";

    #[test]
    fn the_summary_has_the_pages_of_the_index_and_of_a_folder() {
        let page =
            |path: &str, title: &str| Page { path: path.into(), title: title.into(), ..Page::default() };
        let pages =
            [page("docs/adr/0001.md", "One"), page("docs/adr/README.md", "All"), page("docs/x.md", "X")];

        let summary = summary(&parts(TEXT), &pages);

        assert_eq!(
            summary,
            "# Summary\n\n[The book](README.md)\n\n# Tutorial\n\n- [First](tutorial/a.md)\n\n# Reference\n\n\
             - [Decisions](adr/README.md)\n  - [One](adr/0001.md)\n"
        );
    }

    #[test]
    fn llms_txt_has_the_description_of_each_page() {
        let text = llms(&parts(TEXT));

        assert!(text.contains("- [First](docs/tutorial/a.md): from nothing to something\n"), "{text}");
        assert!(text.contains("- [Python](sdks/README.md): the client\n"), "{text}");
    }

    #[test]
    fn the_full_text_omits_the_reference_pages() {
        let full = llms_full(&parts(TEXT), |path| Some(format!("text of {path}\n")));

        assert!(full.contains("<!-- docs/tutorial/a.md -->\n\ntext of docs/tutorial/a.md\n"), "{full}");
        assert!(!full.contains("adr"), "{full}");
    }
}

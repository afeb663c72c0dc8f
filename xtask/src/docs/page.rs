//! Reads a page of Markdown: its anchors, its links and its fenced blocks.
//!
//! As much of Markdown as our pages use, and no more. What a link or a block is worth is checked elsewhere.

use std::collections::HashMap;

/// One page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// From the repository's root, with slashes.
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) anchors: Vec<String>,
    pub(crate) links: Vec<Link>,
    pub(crate) blocks: Vec<Block>,
}

/// A link or a picture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) line: usize,
    pub(crate) target: String,
}

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Of the first line inside.
    pub(crate) line: usize,
    /// The first word after the fence.
    pub(crate) language: String,
    /// The words after it.
    pub(crate) marks: Vec<String>,
    pub(crate) text: String,
}

/// Reads a page.
pub(crate) fn read(path: &str, text: &str) -> Page {
    let mut page = Page { path: path.to_owned(), ..Page::default() };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut open: Option<(usize, String, Block)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let inner = line.trim_start().trim_start_matches("> ");
        let indent = line.len() - line.trim_start().len();
        match open.take() {
            Some((_, fence, block)) if closes(inner, &fence) => page.blocks.push(block),
            Some((depth, fence, mut block)) => {
                let cut = line.len() - line.trim_start().len();
                block.text.push_str(&line[cut.min(depth)..]);
                block.text.push('\n');
                open = Some((depth, fence, block));
            }
            None if inner.starts_with("```") || inner.starts_with("~~~") => {
                let end = inner.len() - inner.trim_start_matches(['`', '~']).len();
                let mut words = inner[end..].split_whitespace().map(str::to_owned);
                let language = words.next().unwrap_or_default();
                let block = Block { line: number + 1, language, marks: words.collect(), text: String::new() };
                open = Some((indent, inner[..end].to_owned(), block));
            }
            None => prose(&mut page, &mut seen, number, line),
        }
    }
    page
}

fn closes(line: &str, fence: &str) -> bool {
    let line = line.trim_end();
    line.starts_with(fence) && line.trim_matches(['`', '~']).is_empty()
}

fn prose(page: &mut Page, seen: &mut HashMap<String, usize>, number: usize, line: &str) {
    if let Some(heading) = heading(line) {
        let slug = slug(heading);
        let count = seen.entry(slug.clone()).or_default();
        page.anchors.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
        if page.title.is_empty() {
            page.title = plain(heading);
        }
    }
    let line = without_code(line);
    for name in ["id=\"", "name=\""] {
        page.anchors.extend(quoted_after(&line, name));
    }
    let mut targets = inline_targets(&line);
    targets.extend(["href=\"", "src=\""].iter().flat_map(|name| quoted_after(&line, name)));
    targets.extend(definition(&line));
    page.links.extend(targets.into_iter().map(|target| Link { line: number, target }));
}

fn heading(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches('#');
    let depth = line.len() - rest.len();
    ((1..=6).contains(&depth) && rest.starts_with(' ')).then(|| rest.trim())
}

/// The anchor that a forge gives a heading.
pub(crate) fn slug(heading: &str) -> String {
    let kept = plain(heading).to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// A heading as people read it: of a link its text alone, and no marks.
fn plain(heading: &str) -> String {
    let mut text = String::new();
    let mut rest = heading;
    while let Some((before, after)) = rest.split_once("](") {
        text.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    text.push_str(rest);
    text.replace(['`', '*', '['], "")
}

/// The line with what stands between backticks taken out.
fn without_code(line: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let marks = rest[at..].len() - rest[at..].trim_start_matches('`').len();
        let (fence, after) = (&rest[at..at + marks], &rest[at + marks..]);
        kept.push_str(&rest[..at]);
        match after.find(fence) {
            Some(end) => rest = &after[end + marks..],
            None => rest = after,
        }
    }
    kept.push_str(rest);
    kept
}

fn inline_targets(line: &str) -> Vec<String> {
    let pieces = line.split("](").skip(1);
    let targets = pieces.filter_map(|piece| {
        let mut depth = 0;
        let end = piece.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth < 0
        })?;
        // A title may follow the target.
        piece[..end].split_whitespace().next()
    });
    targets.map(|target| target.trim_matches(['<', '>']).to_owned()).collect()
}

fn quoted_after(line: &str, name: &str) -> Vec<String> {
    line.split(name).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

/// `[name]: target`
fn definition(line: &str) -> Option<String> {
    let (name, target) = line.trim_start().strip_prefix('[')?.split_once("]: ")?;
    (!name.contains(']')).then(|| target.split_whitespace().next().map(str::to_owned))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_the_anchors_of_a_forge() {
        let text = "# The `lambda` of [a link](x.md)\n## Set-up, first!\n## Set-up, first!\n```text\n# no heading\n```\n";

        let page = read("docs/a.md", text);

        assert_eq!(page.title, "The lambda of a link");
        assert_eq!(page.anchors, ["the-lambda-of-a-link", "set-up-first", "set-up-first-1"]);
    }

    #[test]
    fn links_are_found_outside_of_code() {
        let text = "See [a](b.md#c \"title\") and ![p](p.png), not `[x](y)`.\n\n[ref]: d.md\n\n```text\n[n](o)\n```\n";

        let page = read("docs/a.md", text);

        let found: Vec<_> = page.links.iter().map(|link| (link.line, link.target.as_str())).collect();
        assert_eq!(found, [(1, "b.md#c"), (1, "p.png"), (3, "d.md")]);
    }

    #[test]
    fn a_block_has_a_language_marks_and_the_place_where_it_stands() {
        let text = "- item\n\n  ```python no-run=needs-provider\n  a = 1\n    b\n  ```\n";

        let page = read("docs/a.md", text);

        let marks = vec!["no-run=needs-provider".to_owned()];
        let block = Block { line: 4, language: "python".to_owned(), marks, text: "a = 1\n  b\n".to_owned() };
        assert_eq!(page.blocks, [block]);
    }
}

//! Parses a Markdown page: its anchors, links and fenced blocks.
//!
//! `pulldown-cmark` parses the text. Links and blocks are checked elsewhere.

use std::collections::HashMap;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

/// One page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The path from the repository's root, with slashes.
    pub(crate) path: String,
    pub(crate) title: String,
    pub(crate) anchors: Vec<String>,
    pub(crate) links: Vec<Link>,
    pub(crate) blocks: Vec<Block>,
}

/// A link or an image.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) line: usize,
    pub(crate) target: String,
}

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The first line inside the block.
    pub(crate) line: usize,
    /// The first word after the fence.
    pub(crate) language: String,
    /// The other words after the fence.
    pub(crate) marks: Vec<String>,
    pub(crate) text: String,
}

/// Parses a page.
pub(crate) fn read(path: &str, text: &str) -> Page {
    let starts: Vec<usize> =
        std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let line_at = |offset: usize| starts.partition_point(|start| *start <= offset);
    let mut page = Page { path: path.to_owned(), ..Page::default() };
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut heading: Option<String> = None;
    let mut block: Option<Block> = None;
    let parser = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES);
    let definitions = parser.reference_definitions().iter();
    let mut links: Vec<Link> = definitions
        .map(|(_, definition)| Link {
            line: line_at(definition.span.start),
            target: definition.dest.to_string(),
        })
        .collect();
    for (event, range) in parser.into_offset_iter() {
        let line = line_at(range.start);
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                add_heading(&mut page, &mut seen, &heading.take().unwrap_or_default())
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                let mut words = info.split_whitespace().map(str::to_owned);
                let language = words.next().unwrap_or_default();
                block = Some(Block { line: line + 1, language, marks: words.collect(), text: String::new() });
            }
            Event::End(TagEnd::CodeBlock) => page.blocks.extend(block.take()),
            Event::Start(Tag::Link { link_type, dest_url, .. } | Tag::Image { link_type, dest_url, .. })
                if !is_reference(link_type) =>
            {
                links.push(Link { line, target: dest_url.to_string() });
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                let of =
                    |names: [&str; 2]| names.into_iter().flat_map(|name| quoted_after(&html, name)).collect();
                let (anchors, targets): (Vec<_>, Vec<_>) =
                    (of(["id=\"", "name=\""]), of(["href=\"", "src=\""]));
                page.anchors.extend(anchors);
                links.extend(targets.into_iter().map(|target| Link { line, target }));
            }
            Event::Text(text) | Event::Code(text) => {
                if let Some(block) = &mut block {
                    block.text.push_str(&text);
                } else if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
            }
            _ => {}
        }
    }
    links.sort_by_key(|link| link.line);
    page.links = links;
    page
}

/// A reference link is checked once, at its definition.
fn is_reference(link_type: LinkType) -> bool {
    matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut)
}

fn add_heading(page: &mut Page, seen: &mut HashMap<String, usize>, heading: &str) {
    let slug = slug(heading);
    let count = seen.entry(slug.clone()).or_default();
    page.anchors.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
    *count += 1;
    if page.title.is_empty() {
        page.title = heading.to_owned();
    }
}

/// The anchor that GitHub gives a heading.
fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn quoted_after(html: &str, name: &str) -> Vec<String> {
    html.split(name).skip(1).filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_get_the_anchors_of_github() {
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
    fn a_block_has_a_language_marks_and_a_line() {
        let text = "- item\n\n  ```python no-run=needs-provider\n  a = 1\n    b\n  ```\n";

        let page = read("docs/a.md", text);

        let marks = vec!["no-run=needs-provider".to_owned()];
        let block = Block { line: 4, language: "python".to_owned(), marks, text: "a = 1\n  b\n".to_owned() };
        assert_eq!(page.blocks, [block]);
    }
}

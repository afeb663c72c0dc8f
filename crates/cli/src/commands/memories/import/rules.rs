//! Rule files for coding agents: CLAUDE.md, AGENTS.md and Cursor's rules. They are Markdown. Each item of a list and each
//! paragraph is one rule; its headings are its topic.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::{Map, Value, json};

use super::candidate::Candidate;
use super::sources::SourceFile;
use super::{Format, Items};

/// The line before and after the properties of a Cursor rule.
const FENCE: &str = "---";

/// One rule of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    /// Its headings, from the outside in.
    pub(super) topic: String,
    pub(super) text: String,
    /// The line where it begins, from 1.
    pub(super) line: u32,
}

pub(super) fn read(file: &SourceFile) -> Items {
    let (properties, body, skipped) = without_properties(&file.text);
    let description = properties.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    let rules = rules_of(body).into_iter();
    rules
        .map(|Rule { topic, text, line }| {
            let parts = [description.as_str(), topic.as_str()].into_iter().filter(|part| !part.is_empty());
            let topic = parts.collect::<Vec<_>>().join(": ");
            Ok(Candidate {
                file: file.name.clone(),
                line: Some(line + skipped),
                metadata: properties.clone(),
                ..Candidate::of_text(Format::Rules.importer(), &text, &topic)
            })
        })
        .collect()
}

/// The properties at the begin of a Cursor rule, the text after them, and the number of lines before it.
fn without_properties(text: &str) -> (Map<String, Value>, &str, u32) {
    let none = || (Map::new(), text, 0);
    let Some(rest) = text.strip_prefix(FENCE).and_then(|rest| rest.strip_prefix('\n')) else { return none() };
    let end = rest.split_once("\n---\n").or_else(|| Some((rest.strip_suffix("\n---")?, "")));
    let Some((head, body)) = end else { return none() };
    let mut properties = Map::new();
    for line in head.lines() {
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        // `alwaysApply` says when Cursor reads the rule, which is of no use here.
        if !value.is_empty() && matches!(name.trim(), "description" | "globs") {
            properties.insert(name.trim().to_owned(), json!(value));
        }
    }
    let skipped = head.lines().count() + 2;
    (properties, body, u32::try_from(skipped).unwrap_or_default())
}

/// The rules of a Markdown text.
pub(super) fn rules_of(text: &str) -> Vec<Rule> {
    let mut reader =
        RuleReader { text, rules: Vec::new(), headings: Vec::new(), open: None, counted: (0, 1) };
    let mut events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    while let Some((event, range)) = events.next() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let title = title(&mut events);
                reader.heading(level, title);
            }
            Event::Start(Tag::List(_)) => reader.list(&mut events),
            Event::Start(tag @ (Tag::Paragraph | Tag::CodeBlock(_) | Tag::Table(_) | Tag::BlockQuote(_))) => {
                skip(&mut events);
                reader.block(matches!(tag, Tag::Paragraph), range);
            }
            Event::Start(_) => skip(&mut events),
            Event::Rule => reader.flush(),
            _ => {}
        }
    }
    reader.flush();
    without_title(reader.rules)
}

struct RuleReader<'a> {
    text: &'a str,
    rules: Vec<Rule>,
    headings: Vec<(HeadingLevel, String)>,
    /// A paragraph that the next block may belong to.
    open: Option<Range<usize>>,
    /// A place whose line is known, and that line: lines are counted from there.
    counted: (usize, usize),
}

impl RuleReader<'_> {
    fn heading(&mut self, level: HeadingLevel, title: String) {
        self.flush();
        self.headings.retain(|(above, _)| *above < level);
        self.headings.push((level, title));
    }

    /// A block outside of lists. What is not a paragraph, such as code, belongs to the paragraph before it, and so does what
    /// follows a colon.
    fn block(&mut self, is_paragraph: bool, range: Range<usize>) {
        match &mut self.open {
            Some(open) if !is_paragraph || introduces(&self.text[open.clone()]) => open.end = range.end,
            _ => {
                self.flush();
                self.open = Some(range);
            }
        }
    }

    /// A list outside of lists: each of its items is a rule, after the paragraph that introduces the list.
    fn list<'b>(&mut self, events: &mut impl Iterator<Item = (Event<'b>, Range<usize>)>) {
        let is_intro = self.open.as_ref().is_some_and(|open| introduces(&self.text[open.clone()]));
        let intro = self.open.take_if(|_| is_intro).map(|open| self.text[open].trim().to_owned());
        self.flush();
        let mut depth = 1_usize;
        while depth > 0
            && let Some((event, range)) = events.next()
        {
            match event {
                Event::Start(Tag::Item) if depth == 1 => {
                    let item = item_text(&self.text[range.clone()]);
                    let text =
                        intro.as_ref().map_or_else(|| item.clone(), |intro| format!("{intro}\n{item}"));
                    self.push(text, range.start, Some(&item));
                    depth += 1;
                }
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
    }

    fn flush(&mut self) {
        if let Some(open) = self.open.take() {
            let text = self.text[open.clone()].trim().to_owned();
            self.push(text, open.start, None);
        }
    }

    fn push(&mut self, text: String, at: usize, own: Option<&str>) {
        let said = own.unwrap_or(&text);
        // One word is no rule, and `@file` includes another file.
        let words = said.split_whitespace().count();
        if words < 2 || said.lines().all(|line| line.trim_start().starts_with('@')) {
            return;
        }
        let (place, line) = if self.counted.0 <= at { self.counted } else { (0, 1) };
        let line = line + self.text[place..at].matches('\n').count();
        self.counted = (at, line);
        let topic = self.headings.iter().map(|(_, title)| title.as_str()).collect::<Vec<_>>().join(": ");
        self.rules.push(Rule { topic, text, line: u32::try_from(line).unwrap_or(u32::MAX) });
    }
}

/// Whether a paragraph introduces what follows it.
fn introduces(paragraph: &str) -> bool {
    paragraph.trim_end().trim_end_matches(['*', '_']).ends_with(':')
}

/// The text of a heading.
fn title<'a>(events: &mut impl Iterator<Item = (Event<'a>, Range<usize>)>) -> String {
    let mut title = String::new();
    for (event, _) in events {
        match event {
            Event::Text(text) | Event::Code(text) => title.push_str(&text),
            Event::End(TagEnd::Heading(_)) => break,
            _ => {}
        }
    }
    title.trim().to_owned()
}

/// Skips to the end of a block that has begun.
fn skip<'a>(events: &mut impl Iterator<Item = (Event<'a>, Range<usize>)>) {
    let mut depth = 1_usize;
    while depth > 0
        && let Some((event, _)) = events.next()
    {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
}

/// The text of an item without its marker, and without the indentation of its further lines.
fn item_text(source: &str) -> String {
    let marker = source.find(|letter: char| letter.is_whitespace()).unwrap_or_default();
    let text = source[marker..].trim_start();
    let text = ["[ ] ", "[x] ", "[X] "].into_iter().find_map(|box_| text.strip_prefix(box_)).unwrap_or(text);
    let mut lines = text.trim_end().lines();
    let first = lines.next().unwrap_or_default().to_owned();
    let rest: Vec<&str> = lines.collect();
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let least = rest.iter().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or_default();
    rest.into_iter().fold(first, |text, line| format!("{text}\n{}", line.get(least..).unwrap_or_default()))
}

/// The title of the whole text says nothing about a rule, if there are other headings below it.
fn without_title(mut rules: Vec<Rule>) -> Vec<Rule> {
    let Some(first) = rules.first() else { return rules };
    let title = first.topic.split(": ").next().unwrap_or_default().to_owned();
    let below = format!("{title}: ");
    let is_title = !title.is_empty()
        && rules.iter().all(|rule| rule.topic == title || rule.topic.starts_with(&below))
        && rules.iter().any(|rule| rule.topic.starts_with(&below));
    if is_title {
        for rule in &mut rules {
            rule.topic = rule.topic.strip_prefix(&below).unwrap_or_default().to_owned();
        }
    }
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(name: &str, text: &str) -> Vec<String> {
        let file = SourceFile { name: name.into(), text: text.into() };
        let items = read(&file).into_iter().map(|item| item.unwrap());
        items.map(|item| format!("{} | {} | {}", item.source(), item.task, item.guidance)).collect()
    }

    #[test]
    fn each_item_and_each_paragraph_is_a_rule_with_its_line_and_its_headings() {
        let found = items("CLAUDE.md", include_str!("samples/CLAUDE.md"));

        let expected = [
            "CLAUDE.md:3 | This is a shop in Rust. | This is a shop in Rust. Prices are in cents.",
            "CLAUDE.md:7 | Testing: Run `just test` before you commit. | Run `just test` before you commit. It takes a minute.",
            "CLAUDE.md:8 | Testing: Never mock the database: - start one with `just db` - drop it afterwards | Never mock the database:\n- start one with `just db`\n- drop it afterwards",
            "CLAUDE.md:14 | Testing: Fixtures: When a test needs a customer: use `given::customer()` | When a test needs a customer:\nuse `given::customer()`",
            "CLAUDE.md:15 | Testing: Fixtures: When a test needs a customer: give her a name | When a test needs a customer:\ngive her a name",
            "CLAUDE.md:19 | Deployment: Tag the release first: ```sh git tag v1 ``` | Tag the release first:\n\n```sh\ngit tag v1\n```",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_cursor_rule_has_its_description_as_topic_and_its_globs_as_metadata() {
        let text = include_str!("samples/api.mdc");
        let file = SourceFile { name: "api.mdc".into(), text: text.into() };
        let all = read(&file);

        let first = all[0].as_ref().unwrap();
        assert_eq!(first.task, "REST handlers: Validate the body before you open a transaction.");
        assert_eq!((first.line, &first.metadata["globs"]), (Some(7), &json!("src/api/**/*.rs")));
        assert_eq!(all.len(), 2);
        assert_eq!(items("x.md", "---\nno end"), ["x.md:2 | no end | no end"]);
        assert_eq!(items("x.mdc", "---\nglobs: only properties\n---"), [""; 0]);
    }

    #[test]
    fn includes_comments_and_single_words_are_no_rules() {
        assert_eq!(
            items("x.md", "@docs/rules.md\n\n<!-- a comment -->\n\nTODO\n\n# Only\n\n## Headings\n"),
            [""; 0]
        );
        assert_eq!(items("x.md", ""), [""; 0]);
    }
}

//! Fuzz target: files with memories of other programs.

use reflect_api::{WriteMemory, decode};
use reflect_fuzz::{CaseSource, FuzzTarget};

use super::json_lines::{self, FieldMapping};
use super::sources::SourceFile;
use super::{Items, letta, mem0, rules};

const WORDS: &[&str] = &[
    "task",
    "guidance",
    "summary",
    "key_mistake",
    "correct_action",
    "applicable_tools",
    "success",
    "metadata",
    "id",
    "lesson",
    "text",
    "results",
    "memories",
    "memory",
    "data",
    "blocks",
    "core_memory",
    "passages",
    "label",
    "value",
    "tags",
    "user_id",
    "---\n",
    "\n---\n",
    "description: x\n",
    "# ",
    "## ",
    "- ",
    "  - ",
    "1. ",
    "```\n",
    "> ",
    "| a | b |\n|---|---|\n",
    "<!-- ",
    " -->",
    "[ ] ",
    "@file",
    ":\n",
    "\n\n",
    "Run the tests. ",
];

#[test]
fn every_item_of_a_file_becomes_a_request_that_the_api_accepts() {
    FuzzTarget::new("memory-imports").words(WORDS).run(
        |source| match source.below(4) {
            0 => source.text(30),
            1 => markdown(source),
            2 => exported(source),
            _ => (0..=source.size(4)).map(|_| format!("{}\n", lesson(source))).collect(),
        },
        |input| {
            let Ok(text) = str::from_utf8(input) else { return };
            // As files are read.
            let file = SourceFile { name: "x".to_owned(), text: text.replace("\r\n", "\n") };

            let _ = file.format();
            let mapping = ["guidance=lesson.text", "task=memory", "metadata=tags"];
            let mapping: Result<Vec<FieldMapping>, String> =
                mapping.into_iter().map(FieldMapping::parse).collect();
            check(json_lines::read(&file, &[]), &file);
            check(json_lines::read(&file, &mapping.expect("a mapping")), &file);
            check(rules::read(&file), &file);
            for items in [mem0::read(&file), letta::read(&file)].into_iter().flatten() {
                check(items, &file);
            }
        },
    );
}

fn check(items: Items, file: &SourceFile) {
    let lines = file.text.matches('\n').count() + 1;
    let inside = |line: u32| usize::try_from(line).is_ok_and(|line| (1..=lines).contains(&line));
    for item in items {
        let candidate = match item {
            Ok(candidate) => candidate,
            Err(unreadable) => {
                assert!(unreadable.line.is_none_or(inside) && !unreadable.why.is_empty(), "{unreadable:?}");
                continue;
            }
        };
        assert!(candidate.line.is_none_or(inside), "{candidate:?}");
        assert!(!candidate.task.trim().is_empty(), "{candidate:?} cannot be found");
        let printed = serde_json::to_vec(&candidate.request()).expect("a request can be written");
        if let Err(error) = decode::<WriteMemory>(&printed).body {
            // Metadata has a limit.
            assert!(error.to_string().contains("values"), "{error}: {candidate:?}");
        }
    }
}

fn lesson(source: &mut CaseSource<'_>) -> String {
    let (text, task, id) = (source.json_string(), source.json_string(), source.json(0));
    let (metadata, tools) = (source.json(2), source.array(3, CaseSource::json_string));
    let inner = source.object(&[("text", text.clone())]);
    source.object(&[
        ("task", task),
        ("guidance", text),
        ("lesson", inner),
        ("id", id),
        ("metadata", metadata),
        ("applicable_tools", tools),
        ("success", "\"pass\"".to_owned()),
    ])
}

/// An export of Mem0 or of Letta.
fn exported(source: &mut CaseSource<'_>) -> String {
    let items = source.array(4, |source| {
        let (text, value, id) = (source.json_string(), source.json_string(), source.id());
        let (metadata, tags) = (source.json(2), source.json(1));
        source.object(&[
            ("id", format!("\"{id}\"")),
            ("memory", text.clone()),
            ("text", text),
            ("label", "\"human\"".to_owned()),
            ("value", value),
            ("metadata", metadata),
            ("tags", tags),
        ])
    });
    let list = source.pick_text(&["results", "memories", "blocks", "core_memory", "passages"]);
    if source.once_in(4) { items } else { source.object(&[(list, items)]) }
}

fn markdown(source: &mut CaseSource<'_>) -> String {
    let mut text = String::new();
    for _ in 0..=source.size(12) {
        let start = source
            .pick_text(&["", "# ", "### ", "- ", "  - ", "\t- ", "1) ", "> ", "    ", "---", "```", "@"]);
        let line = if source.once_in(3) { source.text(6) } else { source.prose(6) };
        let end = source.pick_text(&["\n", "\n\n", ":\n", "\n  "]);
        text.push_str(&format!("{start}{line}{end}"));
    }
    text
}

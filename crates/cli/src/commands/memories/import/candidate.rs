//! A memory that is to be imported.

use reflect_api::{AuthoredReflection, ImportedFrom, WriteMemory};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

/// The longest task that is made from a text, in characters.
const LONGEST_TASK: usize = 300;
/// The longest summary that is made from a text, in characters.
const LONGEST_SUMMARY: usize = 120;

/// A memory that is to be imported.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Candidate {
    pub(super) importer: &'static str,
    pub(super) file: String,
    pub(super) line: Option<u32>,
    /// The id of the item in its source.
    pub(super) item: Option<String>,
    pub(super) task: String,
    pub(super) guidance: String,
    pub(super) summary: String,
    pub(super) key_mistake: String,
    pub(super) correct_action: String,
    pub(super) applicable_tools: Vec<String>,
    pub(super) success: Option<bool>,
    pub(super) metadata: Map<String, Value>,
}

impl Candidate {
    /// A memory of one text, which is also what it is found by.
    pub(super) fn of_text(importer: &'static str, text: &str, topic: &str) -> Self {
        let text = text.trim();
        let first = first_sentence(text);
        let task = if topic.is_empty() { first.clone() } else { format!("{topic}: {first}") };
        Self {
            importer,
            task: cut(&task, LONGEST_TASK),
            guidance: text.to_owned(),
            summary: cut(&first, LONGEST_SUMMARY),
            ..Self::default()
        }
    }

    /// The request that creates it.
    pub(super) fn request(&self) -> WriteMemory {
        WriteMemory {
            task: self.task.clone(),
            lesson: AuthoredReflection {
                summary: self.summary.clone(),
                guidance: self.guidance.clone(),
                key_mistake: self.key_mistake.clone(),
                correct_action: self.correct_action.clone(),
                applicable_tools: self.applicable_tools.clone(),
            },
            success: self.success,
            metadata: Some(self.metadata.clone()).filter(|metadata| !metadata.is_empty()),
            imported: Some(ImportedFrom {
                key: self.key(),
                importer: self.importer.to_owned(),
                file: Some(self.file.clone()).filter(|file| !file.is_empty()),
                line: self.line,
                item: self.item.clone(),
            }),
        }
    }

    /// The same for the same item with the same text, whatever the file is called: a rule that two files repeat becomes one
    /// memory. An item whose text has changed is another one.
    fn key(&self) -> Uuid {
        let parts = [
            self.importer,
            self.item.as_deref().unwrap_or_default(),
            &self.task,
            &self.guidance,
            &self.summary,
            &self.key_mistake,
            &self.correct_action,
        ];
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.finalize()[..16]);
        Builder::from_random_bytes(bytes).into_uuid()
    }

    /// File and line, for people.
    pub(super) fn source(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }
}

/// The first sentence in one line.
pub(super) fn first_sentence(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends = [". ", "! ", "? "].into_iter().filter_map(|end| line.find(end)).min();
    ends.map_or(line.as_str(), |at| &line[..=at]).to_owned()
}

fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_follows_the_item_and_its_text_and_not_the_file() {
        let one = Candidate::of_text("rules", "Run the tests. Then commit.", "Testing");
        let moved = Candidate { file: "b.md".into(), line: Some(7), ..one.clone() };
        let other = Candidate::of_text("rules", "Run the tests. Then push.", "Testing");

        assert_eq!(one.key(), moved.key());
        assert_ne!(one.key(), other.key());
        assert_ne!(one.key(), Candidate { importer: "mem0", ..one.clone() }.key());
        assert_ne!(one.key(), Candidate { item: Some("1".into()), ..one.clone() }.key());
        assert_eq!(one.task, "Testing: Run the tests.");
        assert_eq!(one.summary, "Run the tests.");
    }

    #[test]
    fn long_texts_are_cut_for_the_task_and_not_for_the_lesson() {
        let text = "ä".repeat(1000);
        let candidate = Candidate::of_text("rules", &text, "");

        assert_eq!(candidate.task.chars().count(), LONGEST_TASK + 1);
        assert_eq!(candidate.guidance, text);
    }
}

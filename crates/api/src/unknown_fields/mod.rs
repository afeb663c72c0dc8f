//! Decodes a body and reports the fields that its type does not have, with the name that was probably meant.

mod field_names;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::de::DeserializeOwned;
use serde_ignored::Path;

use field_names::field_names;

/// Further unknown fields of a body are counted but not named.
const MAX_NAMED: usize = 10;
/// The similarity of two names, 0 to 1, from which one is probably a misspelling of the other.
const SIMILAR: f64 = 0.85;
/// A longer name is not compared.
const MAX_COMPARED_CHARS: usize = 64;
/// A shorter name is part of too many others.
const MIN_PART_CHARS: usize = 5;

/// A field of a body that its type does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// The path of the field, such as `review.feedback` or `traces[].reviw`.
    pub path: String,
    /// The field that was probably meant.
    pub suggestion: Option<&'static str>,
}

/// The path, followed by the suggestion.
impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.suggestion {
            Some(name) => write!(f, "{} (did you mean {name}?)", self.path),
            None => f.write_str(&self.path),
        }
    }
}

/// A body and the fields that were ignored.
#[derive(Debug)]
pub struct Decoded<T> {
    /// The body, or why it cannot be decoded.
    pub body: Result<T, serde_json::Error>,
    /// The ignored fields up to the error, each path once, at most 10.
    pub unknown: Vec<UnknownField>,
    /// Whether there were more than these.
    pub has_more: bool,
}

/// Decodes JSON and collects unknown fields in the same pass. Free-form values, such as metadata, have no unknown
/// fields.
///
/// ```
/// use reflect_api::{InlineReview, decode};
///
/// let decoded = decode::<InlineReview>(br#"{"result": "pass", "feedback": "Correct."}"#);
/// assert_eq!(decoded.unknown[0].to_string(), "feedback (did you mean feedback_text?)");
/// assert!(decoded.body.is_ok());
/// ```
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Decoded<T> {
    let mut found = Found::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let body = serde_ignored::deserialize(&mut json, |path| found.add(&path));
    let body = body.and_then(|body| json.end().map(|()| body));
    let unknown = found.paths.into_iter().map(|steps| UnknownField {
        path: written(&steps),
        suggestion: steps.split_last().and_then(|(last, parent)| match last {
            PathStep::Field(name) => closest(name, field_names::<T>(parent)),
            PathStep::Item => None,
        }),
    });
    Decoded { body, unknown: unknown.collect(), has_more: found.has_more }
}

/// The names of the fields of a type.
pub fn fields_of<T: DeserializeOwned>() -> &'static [&'static str] {
    field_names::<T>(&[])
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Field(String),
    Item,
}

#[derive(Default)]
struct Found {
    paths: Vec<Vec<PathStep>>,
    has_more: bool,
}

impl Found {
    fn add(&mut self, path: &Path<'_>) {
        if self.has_more {
            return;
        }
        let steps = steps(path);
        if self.paths.contains(&steps) {
            return;
        }
        match self.paths.len() < MAX_NAMED {
            true => self.paths.push(steps),
            false => self.has_more = true,
        }
    }
}

fn steps(path: &Path<'_>) -> Vec<PathStep> {
    let (parent, step) = match path {
        Path::Root => return Vec::new(),
        Path::Seq { parent, .. } => (parent, Some(PathStep::Item)),
        Path::Map { parent, key } => (parent, Some(PathStep::Field(key.clone()))),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            (parent, None)
        }
    };
    let mut steps = steps(parent);
    steps.extend(step);
    steps
}

fn written(steps: &[PathStep]) -> String {
    steps.iter().fold(String::new(), |path, step| match step {
        PathStep::Item => path + "[]",
        PathStep::Field(name) if path.is_empty() => name.clone(),
        PathStep::Field(name) => path + "." + name,
    })
}

/// The known name that is most similar, if one is similar enough. Case, `_` and `-` do not count.
fn closest(name: &str, known: &'static [&'static str]) -> Option<&'static str> {
    if name.chars().count() > MAX_COMPARED_CHARS {
        return None;
    }
    let name = letters(name);
    let similarity = |known: &str| {
        let known = letters(known);
        let is_part = name.len() >= MIN_PART_CHARS && known.contains(&name);
        strsim::jaro_winkler(&name, &known).max(if is_part { SIMILAR } else { 0.0 })
    };
    // Of equal names the first one wins, and `max_by` returns the last.
    let similar = known.iter().rev().map(|known| (similarity(known), *known));
    let similar = similar.filter(|(how, _)| *how >= SIMILAR);
    similar.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

fn letters(name: &str) -> String {
    name.chars().filter(|letter| !matches!(letter, '_' | '-')).flat_map(char::to_lowercase).collect()
}

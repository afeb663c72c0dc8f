//! JSON lines: one object per line. A mapping says which field of it is which field of a memory.

use serde_json::{Map, Value};

use super::candidate::{Candidate, first_sentence};
use super::sources::SourceFile;
use super::{Format, Items, Unreadable};

/// The fields of a memory.
const FIELDS: [&str; 9] = [
    "task",
    "guidance",
    "summary",
    "key_mistake",
    "correct_action",
    "applicable_tools",
    "success",
    "metadata",
    "id",
];

/// The longest value in a message, in characters.
const LONGEST_SHOWN: usize = 80;

/// Where a field of a memory is in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldMapping {
    field: &'static str,
    /// Names of fields, from the outside in.
    path: Vec<String>,
}

impl FieldMapping {
    /// Parses `guidance=lesson.text`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, path) = text.split_once('=').ok_or("write it like guidance=lesson.text")?;
        let field = FIELDS.into_iter().find(|field| *field == name.trim());
        let field =
            field.ok_or_else(|| format!("{name:?} is not a field; the fields are {}", FIELDS.join(", ")))?;
        let path: Vec<String> = path.trim().split('.').map(str::to_owned).collect();
        if path.iter().any(String::is_empty) {
            return Err(format!("{text:?} has no path after the ="));
        }
        Ok(Self { field, path })
    }
}

pub(super) fn read(file: &SourceFile, mapping: &[FieldMapping]) -> Items {
    let lines = file.text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let number = u32::try_from(index + 1).ok();
            let candidate = candidate(line, mapping).map_err(|why| Unreadable { line: number, why })?;
            Ok(Candidate { file: file.name.clone(), line: number, ..candidate })
        })
        .collect()
}

fn candidate(line: &str, mapping: &[FieldMapping]) -> Result<Candidate, String> {
    let object: Map<String, Value> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let object = Value::Object(object);
    let value = |field: &str| {
        let mapped = mapping.iter().find(|mapping| mapping.field == field);
        match mapped {
            Some(mapping) => mapping.path.iter().try_fold(&object, |value, name| value.get(name)),
            None => object.get(field),
        }
        .filter(|value| !value.is_null())
    };
    let text = |field: &str| match value(field) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(other) => Err(format!("{field} must be a text, and is {}", shown(other))),
    };
    let mut candidate = Candidate {
        importer: Format::Jsonl.importer(),
        task: text("task")?,
        guidance: text("guidance")?,
        summary: text("summary")?,
        key_mistake: text("key_mistake")?,
        correct_action: text("correct_action")?,
        ..Candidate::default()
    };
    let Candidate { guidance, summary, key_mistake, correct_action, .. } = &candidate;
    let lesson = [guidance, summary, correct_action, key_mistake].into_iter().find(|text| !text.is_empty());
    let lesson = lesson
        .ok_or("it has no guidance, summary, key_mistake or correct_action; say with --map where they are")?;
    if candidate.task.is_empty() {
        candidate.task = first_sentence(lesson);
    }
    candidate.applicable_tools = match value("applicable_tools") {
        None => Vec::new(),
        Some(Value::Array(tools)) => {
            tools.iter().filter_map(|tool| Some(tool.as_str()?.to_owned())).collect()
        }
        Some(other) => return Err(format!("applicable_tools must be a list, and is {}", shown(other))),
    };
    candidate.success = match value("success") {
        None => None,
        Some(Value::Bool(success)) => Some(*success),
        Some(Value::String(result)) if result == "pass" => Some(true),
        Some(Value::String(result)) if result == "fail" => Some(false),
        Some(other) => {
            let other = shown(other);
            return Err(format!("success must be true, false, \"pass\" or \"fail\", and is {other}"));
        }
    };
    candidate.metadata = match value("metadata") {
        None => Map::new(),
        Some(Value::Object(metadata)) => metadata.clone(),
        Some(other) => return Err(format!("metadata must be an object, and is {}", shown(other))),
    };
    candidate.item = match value("id") {
        Some(Value::String(id)) => Some(id.clone()),
        Some(Value::Number(id)) => Some(id.to_string()),
        _ => None,
    };
    Ok(candidate)
}

/// A value in a message, which may be long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(mapping: &[&str]) -> Items {
        let file =
            SourceFile { name: "lessons.jsonl".into(), text: include_str!("samples/lessons.jsonl").into() };
        let mapping: Vec<FieldMapping> =
            mapping.iter().map(|text| FieldMapping::parse(text).unwrap()).collect();
        read(&file, &mapping)
    }

    #[test]
    fn fields_are_taken_from_where_the_mapping_says() {
        let items = sample(&[
            "task=input.question",
            "guidance=lesson.text",
            "success=outcome",
            "id=ref",
            "metadata=tags",
        ]);

        let [Ok(first), Ok(second), Err(third)] = items.as_slice() else { panic!("{items:?}") };
        assert_eq!((first.task.as_str(), first.line), ("The nightly import did not run", Some(1)));
        assert_eq!(first.guidance, "Look at the timers first. The job may be gone.");
        assert_eq!((first.success, first.item.as_deref()), (Some(false), Some("L-1")));
        assert_eq!(first.metadata["team"], "data");
        // Without a task, the lesson itself is what it is found by.
        assert_eq!(second.task, "Ask for the time zone.");
        assert_eq!(third.line, Some(4));
        assert!(third.why.contains("--map"), "{}", third.why);
    }

    #[test]
    fn a_mapping_names_a_field_and_a_path() {
        assert!(FieldMapping::parse("guidance=a.b").is_ok());
        for wrong in ["guidance", "advice=a", "guidance=", "guidance=a..b"] {
            assert!(FieldMapping::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_of_the_wrong_kind_are_refused_with_the_value() {
        for line in [
            r#"{"guidance": 5}"#,
            r#"{"guidance": "x", "success": "maybe"}"#,
            r#"{"guidance": "x", "metadata": []}"#,
            "[]",
        ] {
            assert!(candidate(line, &[]).is_err(), "{line}");
        }
    }
}

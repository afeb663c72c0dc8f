//! JSON output. Every object names its schema. The version of a schema changes if a field is removed or changes its
//! meaning; new fields can be added at any time.

use reflect_types::text::classified;
use serde::Serialize;
use serde_json::{Map, Value};

use super::table::Table;
use crate::failure::Failure;

/// The selected fields of an item; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fields(Vec<String>);

impl Fields {
    /// Parses names separated by commas.
    pub(crate) fn new(text: &str) -> Self {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self(names.map(str::to_owned).collect())
    }

    /// Whether no field is selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A table with these fields.
    pub(crate) fn table<T: Serialize>(&self, items: &[T]) -> anyhow::Result<Table> {
        let headings: Vec<String> = self.0.iter().map(|name| format!("~{}", name.to_uppercase())).collect();
        let mut table = Table::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
        for item in items {
            let chosen = self.of(item)?;
            let cells = self.0.iter().map(|name| match &chosen[name] {
                Value::Null => "-".to_owned(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            });
            let cells: Vec<String> = cells.collect();
            table.row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
        }
        Ok(table)
    }

    /// The item with only these fields, in the given order. An unknown name is an error that lists the known names.
    pub(crate) fn of(&self, item: &impl Serialize) -> anyhow::Result<Value> {
        let value = serde_json::to_value(item)?;
        let Value::Object(mut object) = value else { return Ok(value) };
        if self.0.is_empty() {
            return Ok(Value::Object(object));
        }
        let known: Vec<String> = object.keys().cloned().collect();
        let mut wanted = Map::new();
        for name in &self.0 {
            let Some(field) = object.remove(name).or_else(|| wanted.get(name).cloned()) else {
                let message = format!("there is no field {name:?}; the fields are {}", known.join(", "));
                return Err(Failure::usage(message).into());
            };
            wanted.insert(name.clone(), field);
        }
        Ok(Value::Object(wanted))
    }
}

/// One item.
pub(crate) fn item(schema: &str, fields: &Fields, item: &impl Serialize) -> anyhow::Result<String> {
    Ok(text(&serde_json::json!({ "schema": schema, "item": fields.of(item)? })))
}

/// A page of items and the cursor of the next page.
pub(crate) fn list<T: Serialize>(
    schema: &str,
    fields: &Fields,
    items: &[T],
    next: Option<&str>,
) -> anyhow::Result<String> {
    let items = items.iter().map(|item| fields.of(item)).collect::<anyhow::Result<Vec<Value>>>()?;
    Ok(text(&serde_json::json!({ "schema": schema, "items": items, "next": next })))
}

/// A failure.
pub(crate) fn failure(failure: &Failure) -> String {
    let mut object = Map::new();
    object.insert("schema".to_owned(), "error/1".into());
    if let Ok(Value::Object(fields)) = serde_json::to_value(failure) {
        object.extend(fields);
    }
    text(&Value::Object(object))
}

/// One line of JSON. Control characters are escaped, so the value stays the same.
pub(crate) fn text(value: &Value) -> String {
    escaped(&value.to_string())
}

/// JSON as one line without terminal control characters. In valid JSON, ASCII control characters occur only between
/// tokens, so they become spaces.
pub(crate) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for (character, is_hidden) in classified(json) {
        if character < ' ' {
            out.push(' ');
        } else if is_hidden || matches!(character, '\u{2028}' | '\u{2029}') {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_keep_the_given_order() {
        let value = serde_json::json!({ "id": 1, "task": "t", "model": null });

        let some = item("trace.get/1", &Fields::new("task, id"), &value).unwrap();
        assert_eq!(some, r#"{"schema":"trace.get/1","item":{"task":"t","id":1}}"#);
        let unknown = item("trace.get/1", &Fields::new("colour"), &value).unwrap_err().to_string();
        assert!(unknown.contains("id, task, model"), "{unknown}");
    }

    #[test]
    fn a_list_has_the_cursor_of_the_next_page() {
        let items = [serde_json::json!({ "id": 1 })];

        let page = list("trace.list/1", &Fields::default(), &items, Some("c1")).unwrap();
        assert_eq!(page, r#"{"schema":"trace.list/1","items":[{"id":1}],"next":"c1"}"#);
    }

    #[test]
    fn json_has_no_control_characters_and_loses_nothing() {
        let hostile = "\u{1b}[2J\u{9b}1m\u{202e}\u{7f}\u{e0041}";

        let line = text(&Value::String(hostile.to_owned()));

        assert!(line.chars().all(|character| character.is_ascii_graphic()), "{line:?}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
    }
}

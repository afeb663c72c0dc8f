//! What programs are given: objects that name their own form. A form's number changes when a field goes away or means
//! something else; new fields may come at any time.

use serde::Serialize;
use serde_json::{Map, Value};

use super::plain::is_harmful;
use super::table::Table;
use crate::failure::Failure;

/// Which fields of a thing are wanted; all when empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Fields(Vec<String>);

impl Fields {
    /// Names between commas.
    pub(crate) fn new(text: &str) -> Self {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self(names.map(str::to_owned).collect())
    }

    /// Whether none is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// These fields of things as a table.
    pub(crate) fn table<T: Serialize>(&self, things: &[T]) -> anyhow::Result<Table> {
        let headings: Vec<String> = self.0.iter().map(|name| format!("~{}", name.to_uppercase())).collect();
        let mut table = Table::new(&headings.iter().map(String::as_str).collect::<Vec<_>>());
        for thing in things {
            let chosen = self.of(thing)?;
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

    /// The thing with these fields alone, in the order they were asked for. A name that it does not have is a
    /// mistake, and the names that it has are said.
    pub(crate) fn of(&self, thing: &impl Serialize) -> anyhow::Result<Value> {
        let value = serde_json::to_value(thing)?;
        let Value::Object(mut object) = value else { return Ok(value) };
        if self.0.is_empty() {
            return Ok(Value::Object(object));
        }
        let known: Vec<String> = object.keys().cloned().collect();
        let mut wanted = Map::new();
        for name in &self.0 {
            let Some(field) = object.remove(name).or_else(|| wanted.get(name).cloned()) else {
                let message = format!("there is no field {name:?}; there are {}", known.join(", "));
                return Err(Failure::usage(message).into());
            };
            wanted.insert(name.clone(), field);
        }
        Ok(Value::Object(wanted))
    }
}

/// One thing.
pub(crate) fn item(schema: &str, fields: &Fields, thing: &impl Serialize) -> anyhow::Result<String> {
    Ok(text(&serde_json::json!({ "schema": schema, "item": fields.of(thing)? })))
}

/// Many things, and where the next ones begin.
pub(crate) fn list<T: Serialize>(
    schema: &str,
    fields: &Fields,
    things: &[T],
    next: Option<&str>,
) -> anyhow::Result<String> {
    let items = things.iter().map(|thing| fields.of(thing)).collect::<anyhow::Result<Vec<Value>>>()?;
    Ok(text(&serde_json::json!({ "schema": schema, "items": items, "next": next })))
}

/// What went wrong.
pub(crate) fn failure(failure: &Failure) -> String {
    let mut object = Map::new();
    object.insert("schema".to_owned(), "error/1".into());
    if let Ok(Value::Object(fields)) = serde_json::to_value(failure) {
        object.extend(fields);
    }
    text(&Value::Object(object))
}

/// One line of JSON. What a terminal would obey is written as an escape, which reads back as the same.
pub(crate) fn text(value: &Value) -> String {
    escaped(&value.to_string())
}

/// JSON as one line without anything that a terminal would obey. Control characters stand in it between things alone,
/// never in a text, so there they are spaces.
pub(crate) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        if character < ' ' {
            out.push(' ');
        } else if is_harmful(character) {
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
    fn fields_are_given_in_the_order_of_the_wish() {
        let thing = serde_json::json!({ "id": 1, "task": "t", "model": null });

        let some = item("trace.get/1", &Fields::new("task, id"), &thing).unwrap();
        assert_eq!(some, r#"{"schema":"trace.get/1","item":{"task":"t","id":1}}"#);
        let unknown = item("trace.get/1", &Fields::new("colour"), &thing).unwrap_err().to_string();
        assert!(unknown.contains("id, task, model"), "{unknown}");
    }

    #[test]
    fn a_list_says_where_the_next_things_begin() {
        let things = [serde_json::json!({ "id": 1 })];

        let page = list("trace.list/1", &Fields::default(), &things, Some("c1")).unwrap();
        assert_eq!(page, r#"{"schema":"trace.list/1","items":[{"id":1}],"next":"c1"}"#);
    }

    #[test]
    fn json_shows_no_terminal_anything_to_obey_and_loses_nothing() {
        let hostile = "\u{1b}[2J\u{9b}1m\u{202e}\u{7f}\u{e0041}";

        let line = text(&Value::String(hostile.to_owned()));

        assert!(line.chars().all(|character| character.is_ascii_graphic()), "{line:?}");
        assert_eq!(serde_json::from_str::<String>(&line).unwrap(), hostile);
    }
}

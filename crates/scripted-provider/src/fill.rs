//! Fills in a JSON schema.

use serde_json::{Map, Value, json};

/// Schemas can be recursive.
const DEEPEST: usize = 12;

/// The values for a schema.
pub(crate) struct Filler<'a> {
    /// The whole schema, to resolve references.
    pub(crate) root: &'a Value,
    /// The text for a property with this name.
    pub(crate) sentence: &'a dyn Fn(&str) -> String,
    /// The values of a property `used_memory_ids`.
    pub(crate) memory_ids: &'a [String],
}

impl Filler<'_> {
    /// A value that satisfies the schema.
    pub(crate) fn fill(&self) -> Value {
        self.value("answer", self.root, 0)
    }

    fn value(&self, name: &str, schema: &Value, depth: usize) -> Value {
        if depth > DEEPEST {
            return Value::Null;
        }
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.root.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
            return self.value(name, target, depth + 1);
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(first) = schema["enum"].get(0) {
            return first.clone();
        }
        for branches in ["anyOf", "oneOf", "allOf"] {
            let branches = schema[branches].as_array().into_iter().flatten();
            if let Some(branch) = branches.into_iter().find(|branch| branch["type"] != "null") {
                return self.value(name, branch, depth + 1);
            }
        }
        match type_of(schema) {
            "object" => self.object(schema, depth),
            "array" => self.array(name, schema, depth),
            "number" => json!(within(0.5, schema)),
            "integer" => json!(within(1.0, schema) as i64),
            "boolean" => json!(true),
            "null" => Value::Null,
            _ => Value::String(self.text(name, schema)),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let fields = properties.map(|(name, schema)| (name.clone(), self.value(name, schema, depth + 1)));
        Value::Object(fields.collect::<Map<_, _>>())
    }

    fn array(&self, name: &str, schema: &Value, depth: usize) -> Value {
        if name == "used_memory_ids" {
            return json!(self.memory_ids);
        }
        let items = &schema["items"];
        // A list of strings can be empty. Any other list gets one entry as an example.
        let usual = u64::from(type_of(items) != "string" || items.get("$ref").is_some());
        let length = schema["minItems"].as_u64().unwrap_or(usual).max(usual);
        (0..length).map(|_| self.value(name, items, depth + 1)).collect()
    }

    fn text(&self, name: &str, schema: &Value) -> String {
        let longest = schema["maxLength"].as_u64().map_or(usize::MAX, |longest| longest as usize);
        (self.sentence)(name).chars().take(longest).collect()
    }
}

/// The type of a schema. If there are several: the first that is not null.
fn type_of(schema: &Value) -> &str {
    match &schema["type"] {
        Value::String(name) => name,
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    }
}

fn within(wanted: f64, schema: &Value) -> f64 {
    let lowest = schema["minimum"].as_f64().unwrap_or(f64::MIN);
    let highest = schema["maximum"].as_f64().unwrap_or(f64::MAX);
    wanted.max(lowest).min(highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_schema_is_filled() {
        let schema = json!({
            "type": "object",
            "properties": {
                "summary": {"type": ["string", "null"], "maxLength": 9},
                "confidence": {"type": "number", "maximum": 0.25},
                "count": {"type": "integer"},
                "verdict": {"enum": ["pass", "fail"]},
                "tools": {"type": "array", "items": {"type": "string"}},
                "used_memory_ids": {"type": "array", "items": {"type": "string"}},
                "steps": {"type": "array", "items": {"$ref": "#/$defs/Step"}},
                "maybe": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Step"}]},
            },
            "$defs": {"Step": {"type": "object", "properties": {"done": {"type": "boolean"}}}},
        });
        let filler = Filler {
            root: &schema,
            sentence: &|name| format!("{name} of it"),
            memory_ids: &["an-id".to_owned()],
        };

        let filled = filler.fill();

        assert_eq!(
            filled,
            json!({
                "summary": "summary o", "confidence": 0.25, "count": 1, "verdict": "pass", "tools": [],
                "used_memory_ids": ["an-id"], "steps": [{"done": true}], "maybe": {"done": true},
            })
        );
    }

    #[test]
    fn a_recursive_schema_ends() {
        let schema = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
        let filler = Filler { root: &schema, sentence: &str::to_owned, memory_ids: &[] };

        assert!(filler.fill()["child"]["child"].is_object());
    }
}

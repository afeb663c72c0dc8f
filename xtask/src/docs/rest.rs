//! The page docs/reference/REST.md, generated from openapi.json: every route by tag, and every schema.
//!
//! If the page lacks something, add it to the `///` comment of the handler or the field.

use std::fmt::Write as _;

use serde_json::Value;

use super::curl;

const OPENING: &str = "# REST API

Every route, as `openapi.json` describes it; `cargo xtask docs --generate` writes this page. [API](../API.md) has the
conventions (keys, paging, idempotency, limits), [error codes](errors.md) what a refusal means. A running server shows the
same at `/docs`, to be tried out.

Below `/console/api` the routes of projects lie a second time, for people who are signed in.
";

const METHODS: [&str; 5] = ["get", "post", "patch", "put", "delete"];

/// The page.
pub(crate) fn page(openapi: &Value) -> String {
    let mut page = format!("{OPENING}{}", curl::SETUP);
    for (tag, about) in tags(openapi) {
        let _ = write!(page, "\n## {tag}\n\n{about}");
        for (path, item) in members(&openapi["paths"]) {
            for method in METHODS {
                let operation = &item[method];
                if operation["tags"][0] == tag.as_str() {
                    page.push_str(&route(method, path, operation));
                }
            }
        }
    }
    page.push_str("\n## Shapes\n\nA field that is not required may be absent or null.\n");
    for (name, schema) in members(&openapi["components"]["schemas"]) {
        let _ = write!(page, "\n### {name}\n\n{}", shape(schema));
    }
    page
}

fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// Tags with a description first, in their order, then the others.
fn tags(openapi: &Value) -> Vec<(String, String)> {
    let told = openapi["tags"].as_array().into_iter().flatten();
    let mut tags: Vec<(String, String)> = told
        .map(|tag| (text(&tag["name"]), format!("{}.\n", text(&tag["description"]).trim_end_matches('.'))))
        .collect();
    for (_, item) in members(&openapi["paths"]) {
        for (_, operation) in members(item) {
            let name = text(&operation["tags"][0]);
            if !name.is_empty() && !tags.iter().any(|(known, _)| *known == name) {
                tags.push((name, String::new()));
            }
        }
    }
    tags
}

fn route(method: &str, path: &str, operation: &Value) -> String {
    let mut page = format!("\n### `{} {path}`\n\n{}\n", method.to_uppercase(), text(&operation["summary"]));
    let description = text(&operation["description"]);
    if !description.is_empty() {
        let _ = write!(page, "\n{description}\n");
    }
    let _ = write!(page, "\nNeeds: {}.\n", needs(operation));
    let parameters: Vec<&Value> = operation["parameters"].as_array().into_iter().flatten().collect();
    if !parameters.is_empty() {
        page.push_str("\n| Parameter | In | Type | Required | Meaning |\n| --- | --- | --- | --- | --- |\n");
        for parameter in parameters {
            let (name, place) = (text(&parameter["name"]), text(&parameter["in"]));
            let required = if parameter["required"] == true { "yes" } else { "no" };
            let kind = kind(&parameter["schema"]);
            let meaning = cell(&parameter["description"]);
            let _ = writeln!(page, "| `{name}` | {place} | {kind} | {required} | {meaning} |");
        }
    }
    let body = &operation["requestBody"]["content"]["application/json"]["schema"];
    if !body.is_null() {
        let _ = write!(page, "\nBody: {}.\n", kind(body));
    }
    page.push_str("\n| Answer | Meaning | Body |\n| --- | --- | --- |\n");
    for (status, answer) in members(&operation["responses"]) {
        let content = members(&answer["content"]).next();
        let body = content.map_or_else(String::new, |(form, content)| match form.as_str() {
            "application/json" => kind(&content["schema"]),
            other => format!("`{other}`"),
        });
        let mut meaning = cell(&answer["description"]);
        for (name, header) in members(&answer["headers"]) {
            let _ = write!(meaning, ". Header `{name}`: {}", cell(&header["description"]));
        }
        let _ = writeln!(page, "| {status} | {meaning} | {body} |");
    }
    page.push_str(&curl::example(method, path, operation).unwrap_or_default());
    page
}

fn needs(operation: &Value) -> String {
    let schemes = operation["security"].as_array().into_iter().flatten().flat_map(members);
    let needs = schemes.map(|(scheme, scopes)| {
        let scopes: Vec<String> =
            scopes.as_array().into_iter().flatten().map(|scope| format!("`{}`", text(scope))).collect();
        match (scheme.as_str(), scopes.is_empty()) {
            ("session", true) => "a session".to_owned(),
            ("session", false) => "a session of an admin of all projects".to_owned(),
            (_, true) => "a key".to_owned(),
            (_, false) => format!("a key with {}", scopes.join(", ")),
        }
    });
    let needs: Vec<String> = needs.collect();
    if needs.is_empty() { "no key".to_owned() } else { needs.join(" or ") }
}

fn shape(schema: &Value) -> String {
    let mut page = String::new();
    let about = text(&schema["description"]);
    if !about.is_empty() {
        let _ = write!(page, "{about}\n\n");
    }
    let fields = fields(schema);
    if fields.is_empty() {
        let _ = writeln!(page, "{}.", kind(schema));
        return page;
    }
    page.push_str("| Field | Type | Required | Meaning |\n| --- | --- | --- | --- |\n");
    for (name, field, required) in fields {
        let required = if required { "yes" } else { "no" };
        let _ =
            writeln!(page, "| `{name}` | {} | {required} | {} |", kind(field), cell(&field["description"]));
    }
    page
}

/// The fields of an object, also of one that is composed with `allOf`. Required fields come first. Sorted here, because
/// the order of a map depends on the features of serde_json.
fn fields(schema: &Value) -> Vec<(&String, &Value, bool)> {
    let parts = schema["allOf"].as_array().map_or_else(|| vec![schema], |parts| parts.iter().collect());
    let mut fields = Vec::new();
    for part in parts {
        let required: Vec<&Value> = part["required"].as_array().into_iter().flatten().collect();
        let own = part["properties"].as_object().into_iter().flatten();
        fields.extend(own.map(|(name, field)| (name, field, required.iter().any(|known| *known == name))));
    }
    fields.sort_by_key(|(name, _, required)| (!required, *name));
    fields
}

/// A type in words, with a link to its schema.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(values) = schema["enum"].as_array() {
        let values: Vec<String> = values.iter().map(|value| format!("`{}`", text(value))).collect();
        return values.join(", ");
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(choices) = schema[several].as_array() {
            let choices: Vec<String> = choices.iter().filter(|one| one["type"] != "null").map(kind).collect();
            return choices.join(if several == "allOf" { " and " } else { " or " });
        }
    }
    let names: Vec<String> = match &schema["type"] {
        Value::Array(names) => names.iter().map(text).filter(|name| name != "null").collect(),
        name => vec![text(name)],
    };
    let named: Vec<String> = names.iter().map(|name| one_kind(name, schema)).collect();
    named.join(" or ")
}

fn one_kind(name: &str, schema: &Value) -> String {
    match name {
        "array" => format!("array of {}", kind(&schema["items"])),
        "object" if fields(schema).is_empty() => "object".to_owned(),
        "object" => {
            let names: Vec<String> = fields(schema).iter().map(|(name, ..)| format!("`{name}`")).collect();
            format!("object with {}", names.join(", "))
        }
        "" => "any".to_owned(),
        name => match schema["format"].as_str() {
            Some(format @ ("date-time" | "uuid")) => format!("{name} ({format})"),
            _ => name.to_owned(),
        },
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The text in one line, with characters escaped that would end a table cell.
fn cell(value: &Value) -> String {
    text(value).split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_route_has_its_scope_its_body_and_its_responses() {
        let openapi = json!({
            "tags": [{"name": "traces", "description": "Runs"}],
            "paths": {"/v1/runs": {"post": {
                "tags": ["traces"], "summary": "Store.", "security": [{"api_key": ["trace:write"]}],
                "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Run"}}}},
                "responses": {"201": {"description": "Stored"}}}}},
            "components": {"schemas": {"Run": {"type": "object", "required": ["task"], "properties": {
                "task": {"type": "string", "description": "What\nwas asked"},
                "times": {"type": ["array", "null"], "items": {"type": "string", "format": "date-time"}}}}}}
        });

        let page = page(&openapi);

        for part in [
            "## traces\n\nRuns.\n\n### `POST /v1/runs`\n\nStore.\n\nNeeds: a key with `trace:write`.\n",
            "Body: [Run](#run).\n",
            "| 201 | Stored |  |\n",
            "### Run\n",
            "| `task` | string | yes | What was asked |\n",
            "| `times` | array of string (date-time) | no |  |\n",
        ] {
            assert!(page.contains(part), "{part}\n---\n{page}");
        }
    }
}

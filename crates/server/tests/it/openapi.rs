//! The description of the API is committed, complete and in step with the table of routes.

use std::collections::BTreeSet;

use axum::http::Method;
use reflect_server::ROUTES;
use reflect_test_support::TestApp;
use serde_json::{Value, json};

/// Pages rather than API.
const UNDESCRIBED: &[&str] = &[
    "/docs",
    "/docs/{file}",
    "/login",
    "/login/{provider}",
    "/login/{provider}/callback",
    "/setup",
    "/logout",
];

fn committed() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi.json")).unwrap_or_default()
}

#[test]
fn the_committed_description_is_fresh() {
    let fresh = reflect_server::description();
    assert!(committed().trim() == fresh.trim(), "openapi.json is stale: run `just openapi`");
}

#[test]
fn the_description_and_the_table_name_the_same_routes() {
    let description: Value = serde_json::from_str(&reflect_server::description()).unwrap();
    assert!(description["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut described = BTreeSet::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            described.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let listed: BTreeSet<String> = ROUTES
        .iter()
        .filter(|route| !UNDESCRIBED.contains(&route.path.as_str()) && route.method != Method::OPTIONS)
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    assert_eq!(described, listed);
}

#[test]
fn every_operation_has_an_id_a_summary_and_an_error_to_expect() {
    let description: Value = serde_json::from_str(&reflect_server::description()).unwrap();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(operation["operationId"].is_string(), "{method} {path}");
            assert!(operation["summary"].is_string(), "{method} {path}");
            if path.starts_with("/v1/") || path.starts_with("/console/") {
                assert!(operation["responses"]["4XX"].is_object(), "{method} {path}");
            }
            if path.starts_with("/v1/projects/") || path.starts_with("/console/") {
                assert!(operation["security"].is_array(), "{method} {path}");
            }
        }
    }
}

#[test]
fn every_body_has_an_example_that_fits_its_schema() {
    let description: Value = serde_json::from_str(&reflect_server::description()).unwrap();
    let mut checked = 0;
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap().values();
            let bodies = responses.chain([&operation["requestBody"]]).map(|body| &body["content"]);
            for content in bodies.filter_map(Value::as_object).flat_map(|content| content.values()) {
                let example = content.get("example").unwrap_or_else(|| panic!("{method} {path}: no example"));
                let fits = misfit(&content["schema"], example, &description["components"]["schemas"]);
                assert_eq!(fits, None, "{method} {path}: {example:#}");
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked}");
}

/// Where a value does not fit a schema, for the keywords that the description uses. A complete validator would add 22
/// crates for this test.
fn misfit(schema: &Value, value: &Value, named: &Value) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return misfit(&named[name.rsplit('/').next().unwrap()], value, named);
    }
    let list = |keyword: &str| schema[keyword].as_array().cloned().unwrap_or_default();
    for (keyword, needs_all) in [("allOf", true), ("oneOf", false), ("anyOf", false)] {
        let misfits: Vec<Option<String>> =
            list(keyword).iter().map(|part| misfit(part, value, named)).collect();
        let fits = |misfit: &Option<String>| misfit.is_none();
        let is_met = if needs_all { misfits.iter().all(fits) } else { misfits.iter().any(fits) };
        if !misfits.is_empty() && !is_met {
            return Some(format!("{keyword}: {misfits:?}"));
        }
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let has_type = |name: &Value| match name.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("unknown type {other}"),
    };
    if !types.is_empty() && !types.iter().any(has_type) {
        return Some(format!("{value} is not {types:?}"));
    }
    let values = list("enum");
    if !values.is_empty() && !values.contains(value) {
        return Some(format!("{value} is not one of {values:?}"));
    }
    if let Some(name) = list("required").iter().find(|name| value.get(name.as_str().unwrap()).is_none()) {
        return value.is_object().then(|| format!("{name} is missing"));
    }
    let items = value.as_array().into_iter().flatten().map(|item| misfit(&schema["items"], item, named));
    let fields = value.as_object().into_iter().flatten();
    let fields = fields.map(|(name, field)| {
        misfit(&schema["properties"][name], field, named).map(|misfit| format!("{name}: {misfit}"))
    });
    items.chain(fields).flatten().next()
}

#[test]
fn a_value_that_does_not_fit_its_schema_is_found() {
    let schema = json!({
        "type": "object", "required": ["a"],
        "properties": { "a": { "$ref": "#/components/schemas/A" }, "b": { "type": ["integer", "null"] } },
    });
    let named = json!({ "A": { "type": "array", "items": { "enum": ["x", "y"] } } });
    let fits = |value: Value| misfit(&schema, &value, &named).is_none();
    assert!(fits(json!({ "a": ["x"], "b": null })) && fits(json!({ "a": [] })));
    for value in
        [json!({}), json!([]), json!({ "a": ["z"] }), json!({ "a": [], "b": "1" }), json!({ "a": {} })]
    {
        assert!(!fits(value.clone()), "{value}");
    }
}

/// A server ignores unknown fields, so an example with one would work and be wrong.
#[test]
fn examples_of_requests_have_no_unknown_fields() {
    let description: Value = serde_json::from_str(&reflect_server::description()).unwrap();
    let schemas = &description["components"]["schemas"];
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let body = &operation["requestBody"]["content"]["application/json"];
            let Some(name) = body["schema"]["$ref"].as_str() else { continue };
            let schema = &schemas[name.rsplit('/').next().unwrap()];
            let parts = schema["allOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
            let known: BTreeSet<String> = parts
                .iter()
                .map(|part| match part["$ref"].as_str() {
                    Some(name) => &schemas[name.rsplit('/').next().unwrap()],
                    None => part,
                })
                .filter_map(|part| part["properties"].as_object())
                .flat_map(|properties| properties.keys().cloned())
                .collect();
            for field in body["example"].as_object().unwrap().keys() {
                assert!(known.contains(field), "{method} {path}: {field}");
            }
        }
    }
}

#[tokio::test]
async fn the_description_is_served() {
    let app = TestApp::start().await;
    let served = app.send("GET", "/openapi.json", None, &[], None).await.expect(200);
    assert_eq!(served.json()["info"]["title"], "Reflect");
}

//! The description of the API is committed, complete and in step with the table of routes.

use std::collections::BTreeSet;

use reflect_server::ROUTES;
use reflect_test_support::TestApp;
use serde_json::Value;

/// Pages rather than API.
const UNDESCRIBED: &[&str] = &["/docs", "/docs/{file}", "/login", "/setup", "/logout"];

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
        .filter(|route| !UNDESCRIBED.contains(&route.path))
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

#[tokio::test]
async fn the_description_is_served() {
    let app = TestApp::start().await;
    let served = app.send("GET", "/openapi.json", None, &[], None).await.expect(200);
    assert_eq!(served.json()["info"]["title"], "Reflect");
}

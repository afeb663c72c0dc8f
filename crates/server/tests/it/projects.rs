//! The end of a project over HTTP.

use reflect_test_support::TestApp;
use serde_json::json;

#[tokio::test]
async fn a_deleted_project_and_its_keys_are_gone_at_once() {
    let app = TestApp::start().await;
    app.given_trace().await;

    let deleted = app.send("DELETE", &app.path(""), Some(&app.key), &[], None).await.expect(200).json();

    assert_eq!(deleted["deleted"], true);
    assert_eq!(deleted["project_id"], app.project.as_str());
    assert_eq!(app.get("/traces").await.expect(401).code(), "key_revoked");
    // Naming it again with a master key makes a new, empty project.
    let again = app.send("GET", &app.path("/traces"), Some(&app.master), &[], None).await.expect(200);
    assert_eq!(again.json(), json!([]));
}

#[tokio::test]
async fn a_project_is_not_made_in_order_to_be_deleted() {
    let app = TestApp::start().await;
    app.send("DELETE", "/v1/projects/unheard-of", Some(&app.master), &[], None).await.expect(404);
}

#[tokio::test]
async fn a_project_may_have_any_name() {
    let app = TestApp::start().await;
    for name in ["a%20b%2Fc", "%C3%A9", "%E2%9C%93%F0%9F%A6%80", "..%2F..", "a.b-c_d~e"] {
        let path = format!("/v1/projects/{name}/traces");
        let stored =
            app.send("POST", &path, Some(&app.master), &[], Some(&reflect_test_support::trace())).await;
        stored.expect(201);
        let listed = app.send("GET", &path, Some(&app.master), &[], None).await.expect(200).json();
        assert_eq!(listed.as_array().unwrap().len(), 1, "{name}");
    }
    for name in ["%00", "x".repeat(201).as_str()] {
        let path = format!("/v1/projects/{name}/traces");
        app.send("GET", &path, Some(&app.master), &[], None).await.expect(422);
    }
}

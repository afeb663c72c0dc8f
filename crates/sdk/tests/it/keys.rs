//! API keys, and the first one.

use reflect_sdk::ReflectClient;
use reflect_sdk::api::{Bootstrap, CreateApiKey};
use reflect_sdk::types::{Environment, Scope};
use reflect_test_support::TestApp;

use crate::given::{given, run_of};
use crate::proxy::Fault;

fn wish(label: &str) -> CreateApiKey {
    CreateApiKey {
        label: label.to_owned(),
        scopes: vec![Scope::MemoryRead],
        environment: Some(Environment::Test),
        ..CreateApiKey::default()
    }
}

fn first() -> Bootstrap {
    Bootstrap {
        user_id: "ana".to_owned(),
        project_id: "first".parse().unwrap(),
        key_label: None,
        environment: None,
    }
}

#[tokio::test]
async fn keys_are_made_listed_and_revoked() {
    let given = given().await;
    let made = given.client.keys.create(wish("agent")).await.unwrap();
    let agent = given.builder().api_key(&made.api_key).build().unwrap();
    agent.memories.query("anything").await.unwrap();
    let lacking = agent.traces.create(run_of("anything")).await.unwrap_err();

    let listed = given.client.keys.list().await.unwrap();
    let revoked = given.client.keys.revoke(made.key.id).await.unwrap();
    let refused = agent.memories.query("anything").await.unwrap_err();

    assert_eq!((lacking.status(), lacking.code()), (Some(403), Some("missing_scope")));
    assert!(lacking.hint().unwrap().contains("scope"));
    assert_eq!(listed[0].label, "agent");
    assert_eq!(revoked.status, "revoked");
    assert_eq!((refused.status(), refused.code()), (Some(401), Some("key_revoked")));
    assert!(refused.hint().unwrap().contains("REFLECT_API_KEY"));
    assert!(!format!("{refused:?} {refused}").contains(&made.api_key));
}

#[tokio::test]
async fn a_key_whose_text_was_lost_is_told_of() {
    let given = given().await;
    given.proxy.faults([Fault::Lost]);

    let error = given.client.keys.create(wish("agent")).await.unwrap_err();

    assert_eq!(error.code(), Some("answer_not_kept"));
    assert_eq!(given.client.keys.list().await.unwrap().iter().filter(|key| key.label == "agent").count(), 1);
}

#[tokio::test]
async fn the_first_key_is_made_once_and_never_asked_for_twice() {
    let given = given().await;
    sqlx::query("delete from api_key").execute(&mut given.app.db.superuser().await).await.unwrap();
    let url = given.proxy.url();

    let wrong = ReflectClient::bootstrap(&url, "a guess", first()).await.unwrap_err();
    given.proxy.faults([Fault::status(503)]);
    let busy = ReflectClient::bootstrap(&url, TestApp::BOOTSTRAP_TOKEN, first()).await.unwrap_err();
    let made = ReflectClient::bootstrap(&url, TestApp::BOOTSTRAP_TOKEN, first()).await.unwrap();
    let again = ReflectClient::bootstrap(&url, TestApp::BOOTSTRAP_TOKEN, first()).await.unwrap_err();

    assert_eq!((wrong.status(), busy.status(), again.status()), (Some(401), Some(503), Some(409)));
    assert_eq!(given.proxy.seen("/v1/bootstrap").len(), 4);
    let client =
        ReflectClient::builder().base_url(url).api_key(made.api_key).project_id("first").build().unwrap();
    assert_eq!(client.project.get().await.unwrap().project_id, "first");
}

//! The project's settings, whether it learns, and the server itself.

use reflect_sdk::api::{ChangeProject, ReportClient, UpliftQuery};
use reflect_sdk::types::Ranking;

use crate::given::given;

#[tokio::test]
async fn a_project_is_read_changed_and_deleted() {
    let given = given().await;
    let change =
        ChangeProject { holdout_rate: Some(0.1), daily_tokens: Some(Some(5000)), ..ChangeProject::default() };

    let before = given.client.project.get().await.unwrap();
    let after = given.client.project.update(change).await.unwrap();
    let unlimited = ChangeProject { daily_tokens: Some(None), ..ChangeProject::default() };
    let last = given.client.project.update(unlimited).await.unwrap();

    assert_eq!((before.ranking, before.daily_tokens, before.holdout_rate), (Ranking::Learned, None, 0.0));
    assert_eq!((after.ranking, after.daily_tokens, after.holdout_rate), (Ranking::Learned, Some(5000), 0.1));
    assert_eq!((last.daily_tokens, last.holdout_rate), (None, 0.1));
    assert!(given.client.project.delete().await.unwrap().deleted);
    let gone = given.client.project.get().await.unwrap_err();
    assert!(matches!(gone.status(), Some(401 | 404)), "{gone}");
}

#[tokio::test]
async fn names_of_projects_may_be_odd() {
    let given = given().await;
    let odd = given.builder().api_key(&given.app.master).project_id("a b/c?é").build().unwrap();

    assert_eq!(odd.project.get().await.unwrap().project_id, "a b/c?é");
}

#[tokio::test]
async fn whether_the_project_learns_is_told() {
    let given = given().await;
    let report = ReportClient {
        client: "worker-7".to_owned(),
        sdk: Some("reflect-sdk rust".to_owned()),
        dropped: Some(3),
        spooled: None,
    };

    given.client.project.report_client(report).await.unwrap();
    let health = given.client.project.loop_health().await.unwrap();
    let since = "2026-01-01T00:00:00+02:00".parse().unwrap();
    let uplift = given
        .client
        .project
        .uplift(UpliftQuery { since: Some(since), review_error: Some(0.1) })
        .await
        .unwrap();

    assert_eq!(health.checks[0].check, "sdk_losing_data");
    assert_eq!((uplift.causal, uplift.since), (false, Some(since)));
}

#[tokio::test]
async fn the_server_says_how_it_is_without_a_key() {
    let given = given().await;

    assert_eq!(given.client.server.health().await.unwrap().status, "ok");
    assert_eq!(given.client.server.ready().await.unwrap().status, "ready");
    given.client.server.metrics().await.unwrap();
    assert!(given.client.server.openapi().await.unwrap()["paths"].is_object());

    for path in ["/health", "/ready", "/metrics", "/openapi.json"] {
        let seen = given.proxy.seen(path);
        assert_eq!(seen.len(), 1, "{path}");
        assert!(seen[0].headers.get("authorization").is_none(), "{path}");
        assert!(seen[0].headers["user-agent"].to_str().unwrap().starts_with("reflect-sdk/"), "{path}");
    }
}

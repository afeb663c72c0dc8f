//! Keys, by digest, and the first of them.

use reflect_store::{NewInstallation, StoreError};
use reflect_types::Scope;

use crate::given;

#[tokio::test]
async fn a_key_is_found_with_its_project_and_its_use_is_noted() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    project.keys().create(&given::key("aaaaaaaa"), &given::actor(), None).await.unwrap();

    let found = store.catalogue().find_key("aaaaaaaa").await.unwrap().unwrap();

    assert_eq!(found.project.unwrap().1.as_str(), "p");
    assert_eq!(found.scopes, [Scope::TraceRead]);
    assert!(project.keys().list(false, None, 10).await.unwrap()[0].last_used_at.is_some());
    assert!(store.catalogue().find_key("bbbbbbbb").await.unwrap().is_none());
}

#[tokio::test]
async fn a_project_cannot_revoke_the_keys_of_another_nor_a_master_key() {
    let (_db, store) = given::store().await;
    let (mine, theirs) = (given::project(&store, "mine").await, given::project(&store, "theirs").await);
    let key = theirs.keys().create(&given::key("aaaaaaaa"), &given::actor(), None).await.unwrap();
    let master =
        store.installation().keys().create(&given::key("bbbbbbbb"), &given::actor(), None).await.unwrap();

    for id in [key.key_id, master.key_id] {
        let refused = mine.keys().revoke(id, false, &given::actor(), None).await;
        assert!(matches!(refused, Err(StoreError::NotFound { .. })), "{refused:?}");
    }
    assert!(mine.keys().revoke(master.key_id, true, &given::actor(), None).await.is_ok());
}

#[tokio::test]
async fn revoking_twice_keeps_the_first_time() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let key = project.keys().create(&given::key("aaaaaaaa"), &given::actor(), None).await.unwrap();

    let first = project.keys().revoke(key.key_id, false, &given::actor(), None).await.unwrap();
    let second = project.keys().revoke(key.key_id, false, &given::actor(), None).await.unwrap();

    assert!(first.revoked_at.is_some());
    assert_eq!(first.revoked_at, second.revoked_at);
    assert!(store.catalogue().find_key("aaaaaaaa").await.unwrap().unwrap().revoked);
}

#[tokio::test]
async fn bootstrap_works_once() {
    let (_db, store) = given::store().await;
    let first = NewInstallation { project: "p".parse().unwrap(), key: given::key("aaaaaaaa") };
    let second = NewInstallation { project: "q".parse().unwrap(), key: given::key("bbbbbbbb") };

    assert!(store.catalogue().bootstrap(&first, &given::actor()).await.is_ok());
    let again = store.catalogue().bootstrap(&second, &given::actor()).await;

    assert!(matches!(again, Err(StoreError::Conflict { .. })), "{again:?}");
    assert!(store.catalogue().find_key("bbbbbbbb").await.unwrap().is_none());
    let actions: Vec<String> = store
        .installation()
        .admin()
        .audit_entries(10)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.action)
        .collect();
    assert!(actions.contains(&"bootstrap".to_owned()), "{actions:?}");
}

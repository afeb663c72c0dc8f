//! Keys, by digest, and the first of them.

use reflect_store::{AuditActor, NewInstallation, NewKey, StoreError};
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
    assert!(project.keys().list(false, None, 10).await.unwrap()[0].last_used_at.is_none());
    store.catalogue().note_key_use(found.key_id).await.unwrap();
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

    let (first, _) = project.keys().revoke(key.key_id, false, &given::actor(), None).await.unwrap();
    let (second, _) = project.keys().revoke(key.key_id, false, &given::actor(), None).await.unwrap();

    assert!(first.revoked_at.is_some());
    assert_eq!(first.revoked_at, second.revoked_at);
    assert!(store.catalogue().find_key("aaaaaaaa").await.unwrap().unwrap().revoked);
}

#[tokio::test]
async fn revoking_a_key_revokes_all_keys_below_it_and_no_other() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let below = |name: &str, parent| NewKey { parent, ..given::key(name) };
    let mut ids = Vec::new();
    for name in ["aaaaaaaa", "bbbbbbbb", "cccccccc"] {
        let key = below(name, ids.last().copied());
        ids.push(project.keys().create(&key, &given::actor(), None).await.unwrap().key_id);
    }
    project.keys().create(&given::key("dddddddd"), &given::actor(), None).await.unwrap();

    let (_, mut revoked) = project.keys().revoke(ids[0], false, &given::actor(), None).await.unwrap();

    revoked.sort();
    assert_eq!(revoked, ["bbbbbbbb", "cccccccc"]);
    assert!(!store.catalogue().find_key("dddddddd").await.unwrap().unwrap().revoked);
    let late = project.keys().create(&below("eeeeeeee", Some(ids[0])), &given::actor(), None).await;
    assert!(matches!(late, Err(StoreError::Conflict { .. })), "{late:?}");
}

#[tokio::test]
async fn a_creator_loses_all_keys_and_what_was_made_with_them() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let by = |name: &str| AuditActor::local(name);
    project.keys().create(&given::key("aaaaaaaa"), &by("member:Ana"), None).await.unwrap();
    project.keys().create(&given::key("bbbbbbbb"), &by("key:aaaaaaaa"), None).await.unwrap();
    project.keys().create(&given::key("cccccccc"), &by("member:Bo"), None).await.unwrap();

    let mut revoked = store.catalogue().revoke_keys_of("member:Ana", &given::actor()).await.unwrap();

    revoked.sort();
    assert_eq!(revoked, ["aaaaaaaa", "bbbbbbbb"]);
    assert!(!store.catalogue().find_key("cccccccc").await.unwrap().unwrap().revoked);
}

#[tokio::test]
async fn a_rotated_key_ends_after_the_overlap_and_its_keys_depend_on_the_new_one() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let old = project.keys().create(&given::key("aaaaaaaa"), &given::actor(), None).await.unwrap();
    let below = NewKey { parent: Some(old.key_id), ..given::key("bbbbbbbb") };
    project.keys().create(&below, &given::actor(), None).await.unwrap();

    let new = given::key("cccccccc");
    project.keys().rotate(old.key_id, &new, 3600, &given::actor(), None).await.unwrap();

    let found = store.catalogue().find_key("aaaaaaaa").await.unwrap().unwrap();
    assert!(found.expires_at.is_some() && !found.expired && !found.revoked);
    let (_, revoked) = project.keys().revoke(old.key_id, false, &given::actor(), None).await.unwrap();
    assert!(revoked.is_empty());
    let again = project.keys().rotate(old.key_id, &given::key("dddddddd"), 0, &given::actor(), None).await;
    assert!(matches!(again, Err(StoreError::Conflict { .. })), "{again:?}");
    let (_, revoked) = project.keys().revoke(new.key_id, false, &given::actor(), None).await.unwrap();
    assert_eq!(revoked, ["bbbbbbbb"]);
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
        .audit_entries(None, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.action)
        .collect();
    assert!(actions.contains(&"bootstrap".to_owned()), "{actions:?}");
}

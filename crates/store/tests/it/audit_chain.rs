//! The chains of the audit log: complete, without gaps, and without making requests wait.

use reflect_store::{ChainLink, ProjectCtx, Store};
use reflect_types::ProjectId;
use sqlx::{Connection, Executor, PgConnection};

use crate::given;

async fn chain_all(store: &Store) -> usize {
    let mut chained = 0;
    for chain in store.maintenance().audit_chains().waiting().await.unwrap() {
        chained += store.maintenance().audit_chains().append(chain).await.unwrap();
    }
    chained
}

async fn links(store: &Store, chain: ProjectId) -> Vec<ChainLink> {
    store.maintenance().audit_chains().links(chain, 0, 10_000).await.unwrap()
}

async fn note(project: &ProjectCtx, target: &str) {
    project.admin().record_audit(&given::actor(), "test.note", target, None).await.unwrap();
}

async fn number(store: &Store, slug: &str) -> ProjectId {
    store.catalogue().find_project(&slug.parse().unwrap()).await.unwrap().unwrap()
}

#[tokio::test]
async fn every_entry_gets_one_link_in_the_chain_of_its_project() {
    let (_db, store) = given::store().await;
    let (mine, theirs) = (given::project(&store, "mine").await, given::project(&store, "theirs").await);
    for target in ["a", "b", "c"] {
        note(&mine, target).await;
    }
    note(&theirs, "d").await;

    // Two entries of the installation: the projects were created.
    assert_eq!(chain_all(&store).await, 6);
    assert_eq!(chain_all(&store).await, 0);
    assert!(store.maintenance().audit_chains().waiting().await.unwrap().is_empty());
    note(&mine, "e").await;
    assert_eq!(chain_all(&store).await, 1);

    let found = links(&store, number(&store, "mine").await).await;
    let sequences: Vec<i64> = found.iter().map(|link| link.sequence).collect();
    assert_eq!(sequences, [1, 2, 3, 4]);
    let targets: Vec<&str> = found.iter().map(|link| link.entry.as_ref().unwrap().target.as_str()).collect();
    assert_eq!(targets, ["a", "b", "c", "e"]);
    assert!(found.iter().all(|link| link.entry.as_ref().unwrap().hash() == link.entry_hash));
    assert_eq!(links(&store, number(&store, "theirs").await).await.len(), 1);
    assert_eq!(links(&store, ProjectId::INSTALLATION).await.len(), 2);
}

#[tokio::test]
async fn writers_at_the_same_time_leave_no_gap_and_no_repetition() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    for round in 0..20 {
        note(&project, &round.to_string()).await;
    }
    let chain = number(&store, "p").await;
    let chains = store.maintenance().audit_chains();

    let (a, b, c) = tokio::join!(chains.append(chain), chains.append(chain), chains.append(chain));

    let chained = [a, b, c].map(Result::unwrap);
    assert_eq!(chained.iter().sum::<usize>(), 20, "{chained:?}");
    let sequences: Vec<i64> = links(&store, chain).await.iter().map(|link| link.sequence).collect();
    assert_eq!(sequences, (1..=20).collect::<Vec<i64>>());
}

#[tokio::test]
async fn a_locked_chain_delays_neither_requests_nor_other_chains() {
    let (db, store) = given::store().await;
    let (locked, other) = (given::project(&store, "locked").await, given::project(&store, "other").await);
    note(&locked, "a").await;
    chain_all(&store).await;
    let mut blocker = db.superuser().await;
    let chain = number(&store, "locked").await;
    let mut held = blocker.begin().await.unwrap();
    let lock = sqlx::query("select 1 from audit_chain where chain = $1 for update").bind(chain.number());
    lock.execute(&mut *held).await.unwrap();

    note(&locked, "b").await;
    note(&other, "c").await;

    assert_eq!(chain_all(&store).await, 1);
    held.rollback().await.unwrap();
    assert_eq!(chain_all(&store).await, 1);
}

#[tokio::test]
async fn an_entry_that_was_removed_before_its_link_leaves_a_link() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    note(&project, "a").await;
    db.superuser().await.execute("delete from audit_entry where target = 'a'").await.unwrap();

    chain_all(&store).await;

    let found = links(&store, number(&store, "p").await).await;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].entry.clone(), found[0].entry_hash), (None, [0; 32]));
}

#[tokio::test]
async fn an_entry_that_comes_back_gets_no_second_link() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    note(&project, "a").await;
    chain_all(&store).await;
    let again = "create temp table gone as select * from audit_entry where target = 'a';
                 delete from audit_entry where target = 'a';
                 insert into audit_entry select * from gone";
    db.superuser().await.execute(again).await.unwrap();

    chain_all(&store).await;

    assert!(store.maintenance().audit_chains().waiting().await.unwrap().is_empty());
    assert_eq!(links(&store, number(&store, "p").await).await.len(), 1);
}

async fn signed(connection: &mut PgConnection, chain: ProjectId, sequence: i64, age: &str) {
    let sign = "insert into audit_head (chain, sequence, hash, signed_at, key_id, signature)
                select chain, sequence, hash, now() - $3::interval, 'k', decode(repeat('00', 64), 'hex')
                from audit_link where chain = $1 and sequence = $2";
    let sign = sqlx::query(sign).bind(chain.number()).bind(sequence).bind(age);
    assert_eq!(sign.execute(connection).await.unwrap().rows_affected(), 1);
}

#[tokio::test]
async fn links_of_expired_entries_go_up_to_a_signature_that_stays() {
    let (db, store) = given::store().await;
    given::project(&store, "p").await;
    let mut connection = db.superuser().await;
    let chain = number(&store, "p").await;
    for days in [500, 490, 480, 10, 0] {
        let old = "insert into audit_entry (project_id, audit_id, actor, action, target, created_at)
                   values ($1, uuid_at(now() - make_interval(days => $2)), 'a', 'b', 'c', now() - make_interval(days => $2))";
        let old = sqlx::query(old).bind(chain.number()).bind(days);
        old.execute(&mut connection).await.unwrap();
        chain_all(&store).await;
    }
    for (sequence, age) in [(1, "495 days"), (2, "485 days"), (4, "5 days")] {
        signed(&mut connection, chain, sequence, age).await;
    }

    store.maintenance().keep_partitions().await.unwrap();
    store.maintenance().audit_chains().prune().await.unwrap();

    let left: Vec<i64> = links(&store, chain).await.iter().map(|link| link.sequence).collect();
    assert_eq!(left, [3, 4, 5]);
    let heads = store.maintenance().audit_chains().heads(chain).await.unwrap();
    let heads: Vec<i64> = heads.iter().map(|head| head.end.sequence).collect();
    assert_eq!(heads, [2, 4]);
}

#[tokio::test]
async fn more_links_than_one_statement_removes_are_all_removed() {
    let (db, store) = given::store().await;
    let mut connection = db.superuser().await;
    let old =
        "with old as (select uuid_at(now() - interval '500 days' + make_interval(secs => n)) as id, c, n
                            from generate_series(1, 6000) n, generate_series(1, 2) c),
                    chains as (insert into audit_chain (chain) values (1), (2) on conflict do nothing)
               insert into audit_link (chain, sequence, audit_id, entry_hash, hash)
               select c, n, id, decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex') from old";
    sqlx::query(old).execute(&mut connection).await.unwrap();
    for (chain, sequence) in [(1, 100), (1, 6000), (2, 5990)] {
        signed(&mut connection, ProjectId::new(chain), sequence, "450 days").await;
    }

    store.maintenance().audit_chains().prune().await.unwrap();

    let counts = "select chain, count(*) from audit_link group by chain
                  union all select chain + 10, count(*) from audit_head group by chain order by 1";
    let counts: Vec<(i32, i64)> = sqlx::query_as(counts).fetch_all(&mut connection).await.unwrap();
    assert_eq!(counts, [(2, 10), (11, 1), (12, 1)]);
}

#[tokio::test]
async fn a_signature_cannot_make_maintenance_remove_links_of_current_entries() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    note(&project, "a").await;
    chain_all(&store).await;
    let chain = number(&store, "p").await;
    signed(&mut db.superuser().await, chain, 1, "1000 days").await;

    store.maintenance().keep_partitions().await.unwrap();
    store.maintenance().audit_chains().prune().await.unwrap();

    assert_eq!(links(&store, chain).await.len(), 1);
}

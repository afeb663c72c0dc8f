//! The table registry against the migrated database.

use std::collections::{BTreeMap, BTreeSet};

use reflect_store::{Grant, Moves, Purge, TABLES, Tenant};

use crate::given;

/// sqlx's own table.
const NOT_OURS: &str = "_sqlx_migrations";

#[tokio::test]
async fn every_table_has_an_entry_with_its_tenant_key() {
    let (db, _store) = given::store().await;
    let stored: Vec<(String, bool)> = sqlx::query_as(
        "select c.relname::text,
                exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id')
         from pg_class c
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition",
    )
    .fetch_all(&mut db.superuser().await)
    .await
    .unwrap();
    let stored: BTreeMap<String, bool> = stored.into_iter().filter(|(table, _)| table != NOT_OURS).collect();
    let registered: BTreeMap<String, bool> = TABLES
        .iter()
        .map(|table| (table.name.to_owned(), matches!(table.tenant, Tenant::Project { .. })))
        .collect();
    assert_eq!(registered.len(), TABLES.len(), "a table has two entries");
    assert_eq!(registered, stored);
}

#[tokio::test]
async fn the_role_of_the_server_has_the_grants_of_the_registry_and_no_others() {
    let (db, _store) = given::store().await;
    let granted: Vec<(String, String)> = sqlx::query_as(
        "select table_name::text, privilege_type::text from information_schema.role_table_grants
         where grantee = 'reflect_app' and table_schema = 'public' and table_name <> '_sqlx_migrations'",
    )
    .fetch_all(&mut db.superuser().await)
    .await
    .unwrap();
    let granted: BTreeSet<(String, String)> = granted.into_iter().collect();
    let expected: BTreeSet<(String, String)> = TABLES
        .iter()
        .flat_map(|table| {
            let rights: &[&str] = match table.grant {
                Grant::Write => &["SELECT", "INSERT", "UPDATE", "DELETE"],
                Grant::Append => &["SELECT", "INSERT"],
                Grant::Read => &["SELECT"],
            };
            rights.iter().map(|right| (table.name.to_owned(), (*right).to_owned()))
        })
        .collect();
    assert_eq!(granted, expected);
}

#[test]
fn rows_of_projects_are_purged_and_moved_or_the_registry_says_why_not() {
    for table in TABLES {
        let Tenant::Project { moves, purge } = table.tenant else { continue };
        if let Moves::Stay(reason) = moves {
            assert!(reason.len() > 20, "{}: {reason}", table.name);
        }
        match purge {
            Purge::Batches(statement) => {
                assert!(deletes_from(statement, table.name), "{}", table.name);
            }
            Purge::Last => {
                let last = include_str!("../../sql/projects/remove.sql");
                assert!(deletes_from(last, table.name), "{}", table.name);
            }
            Purge::Keep(reason) => assert!(reason.len() > 20, "{}: {reason}", table.name),
        }
    }
}

fn deletes_from(statement: &str, table: &str) -> bool {
    let words: Vec<&str> = statement.split([' ', '\n', '(', ')']).filter(|word| !word.is_empty()).collect();
    words.windows(3).any(|window| window == ["delete", "from", table])
}

#[tokio::test]
async fn every_table_of_projects_has_a_primary_key() {
    let (db, _store) = given::store().await;
    let without: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
           and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')
         order by 1",
    )
    .fetch_all(&mut db.superuser().await)
    .await
    .unwrap();
    assert_eq!(without, Vec::<String>::new(), "logical replication of deletes needs a key");
}

#[tokio::test]
async fn no_sequence_spans_projects() {
    let (db, _store) = given::store().await;
    let numbered: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
         where c.relkind = 'p' and c.relnamespace = 'public'::regnamespace",
    )
    .fetch_all(&mut db.superuser().await)
    .await
    .unwrap();
    assert_eq!(numbered, Vec::<String>::new(), "a project must be able to move to another database");
}

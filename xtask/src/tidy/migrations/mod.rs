//! A migration holds no lock on a table in use for longer than a moment.
//!
//! Servers work while a migration runs. Its statements wait at most 100 ms for a lock (`crates/store/src/schema_session.rs`),
//! but a lock that they have is held until the end of the migration. So a migration does not rewrite a table, does not
//! build an index on a table that exists, adds constraints without checking all rows, and does not remove what the
//! previous release uses. A comment `-- lock-safe: reason` before a statement accepts it, for example because the table
//! is small.

mod lexer;
mod rules;

use super::Violation;
use crate::sources::Tree;
use lexer::{EXCUSE, statements};
use rules::{Tables, refusal};

const FOLDER: &str = "crates/store/migrations/";
/// Earlier migrations are not part of a release. They create most tables, and no installation has had rows in them.
const FIRST: u32 = 25;
/// A shorter text cannot state a reason.
const SHORTEST_REASON: usize = 12;

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut violations = Vec::new();
    for file in &tree.files {
        let Some(name) = file.path.strip_prefix(FOLDER).filter(|name| name.ends_with(".sql")) else {
            continue;
        };
        let Some(number) = name.split('_').next().and_then(|number| number.parse::<u32>().ok()) else {
            violations.push(Violation::new(&file.path, 1, "the name of a migration begins with its number"));
            continue;
        };
        if number >= FIRST {
            violations.extend(check_migration(&file.path, &file.text));
        }
    }
    violations
}

fn check_migration(path: &str, text: &str) -> Vec<Violation> {
    let mut tables = Tables::default();
    let mut violations = Vec::new();
    for statement in statements(text) {
        let why = match (refusal(&statement, &mut tables), &statement.excuse) {
            (Some(why), None) => why,
            (Some(_), Some(reason)) if reason.len() >= SHORTEST_REASON => continue,
            (Some(_), Some(_)) => format!("`-- {EXCUSE}` needs a reason"),
            (None, Some(_)) => format!("nothing to excuse: remove `-- {EXCUSE}`"),
            (None, None) => continue,
        };
        violations.push(Violation::new(path, statement.line, why));
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(sql: &str) -> Vec<String> {
        let text = format!("-- Why this migration exists.\n{sql}\n");
        let found = check(&Tree::of(&[("crates/store/migrations/0030_a.sql", &text)]));
        found.into_iter().map(|violation| violation.why).collect()
    }

    #[test]
    fn a_migration_that_adds_is_accepted() {
        for sql in [
            "create table a (b int primary key, c int references d); create index a_c on a (c); alter table a add e serial;",
            "alter table trace add note text, add size int not null default 0;",
            "alter table trace add seen_at timestamptz default now();",
            "alter table trace add labels jsonb not null default '{}';",
            "alter table trace add constraint short check (length(note) < 9) not valid;",
            "alter table trace validate constraint short;",
            "alter table trace add primary key using index trace_key;",
            "alter table trace set (fillfactor = 70), enable row level security;",
            "alter table trace alter note set default '', alter note drop not null;",
            "create function f() returns void language sql as $$ update trace set note = null $$;",
            "create or replace view v as select * from trace; grant select on v to reflect_app;",
            "insert into partition_plan (parent) values ('a') on conflict (parent) do update set parent = 'a';",
            "do $$ begin perform split_by_project('a'); end $$;",
            "drop index trace_old; drop function g();",
            "create trigger t after insert on trace for each row execute function f();",
        ] {
            assert_eq!(complaints(sql), Vec::<String>::new(), "{sql}");
        }
    }

    #[test]
    fn a_migration_that_rewrites_a_table_is_refused() {
        for sql in [
            "alter table trace alter column note type varchar(9);",
            "alter table trace alter note set data type int using 0;",
            "alter table trace add digest uuid generated always as (md5(task)::uuid) stored;",
            "alter table trace add number bigint generated always as identity;",
            "alter table trace add number bigserial;",
            "alter table trace add id uuid not null default gen_random_uuid();",
            "alter table only trace set unlogged;",
            "cluster trace using trace_pkey;",
        ] {
            let found = complaints(sql);
            assert_eq!(found.len(), 1, "{sql}: {found:?}");
        }
    }

    #[test]
    fn an_index_on_a_table_in_use_is_refused() {
        for sql in [
            "create index on trace (note);",
            "create unique index if not exists a on trace (note);",
            "create index concurrently a on trace (note);",
            "alter table trace add unique (note);",
            "alter table trace add constraint a primary key (note);",
            "alter table trace add note text unique;",
        ] {
            let found = complaints(sql);
            assert!(found.len() == 1 && found[0].contains("crates/store/src/indexes.rs"), "{sql}: {found:?}");
        }
    }

    #[test]
    fn a_constraint_that_is_checked_at_once_is_refused() {
        for sql in [
            "alter table trace add constraint short check (length(note) < 9);",
            "alter table trace add foreign key (key_id) references api_key;",
            "alter table trace add note text check (length(note) < 9);",
        ] {
            let found = complaints(sql);
            assert!(found.len() == 1 && found[0].contains("`not valid`"), "{sql}: {found:?}");
        }
        assert_eq!(complaints("alter table trace alter note set not null;").len(), 1);
        let both = "alter table trace add constraint a check (b > 0) not valid; alter table trace validate constraint a;";
        assert!(complaints(both)[0].contains("in a later migration"));
    }

    #[test]
    fn what_the_previous_release_needs_is_not_removed() {
        for sql in [
            "drop table trace;",
            "alter table trace drop column note;",
            "alter table trace rename column note to notes;",
            "alter table trace rename to runs;",
        ] {
            let found = complaints(sql);
            assert!(found.len() == 1 && found[0].contains("one release later"), "{sql}: {found:?}");
        }
    }

    #[test]
    fn changes_of_all_rows_are_refused() {
        for sql in [
            "update trace set note = '';",
            "delete from trace where note is null;",
            "with old as (select 1) delete from trace using old;",
            "truncate trace;",
            "do $$ begin update trace set note = ''; end $$;",
        ] {
            assert_eq!(complaints(sql).len(), 1, "{sql}");
        }
    }

    #[test]
    fn statements_that_a_block_executes_are_checked() {
        let sql = "do $$ declare part text; begin for part in select 1 loop execute format('alter table %I add a serial', \
                   part); end loop; end $$;";
        assert_eq!(complaints(sql).len(), 1);
        let sql = "do $$ begin if true then create index on trace (note); end if; end $$;";
        assert_eq!(complaints(sql).len(), 1);
    }

    #[test]
    fn a_reason_excuses_a_statement() {
        assert!(complaints("-- lock-safe: one row per member\nupdate member set name = '';").is_empty());
        assert_eq!(
            complaints("-- lock-safe: small\nupdate member set name = '';"),
            ["`-- lock-safe:` needs a reason"]
        );
        let found = complaints("-- lock-safe: one row per member\nselect 1;");
        assert_eq!(found, ["nothing to excuse: remove `-- lock-safe:`"]);
    }

    #[test]
    fn old_migrations_are_not_checked() {
        let tree = Tree::of(&[("crates/store/migrations/0018_a.sql", "update trace set note = '';")]);

        assert_eq!(check(&tree), []);
    }
}

//! Searches a whole database for a text.

use sqlx::{AssertSqlSafe, PgConnection};

use crate::database::TestDb;

impl TestDb {
    /// The tables that contain a text, as text or as bytes: the tables of this product and the planner's samples. Trace bodies that are long enough to be compressed are not found this way.
    pub async fn tables_with(&self, text: &str) -> Vec<String> {
        let mut connection = self.superuser().await;
        let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut found = Vec::new();
        for table in tables(&mut connection).await {
            let query = format!(
                "select count(*) from {table} r where strpos(r::text, $1) > 0 or strpos(r::text, $2) > 0"
            );
            let rows = sqlx::query_scalar(AssertSqlSafe(query)).bind(text).bind(&hex);
            let rows: i64 = rows.fetch_one(&mut connection).await.expect("a table can be read");
            if rows > 0 {
                found.push(table);
            }
        }
        found
    }
}

async fn tables(connection: &mut PgConnection) -> Vec<String> {
    let tables = sqlx::query_scalar(
        "select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind = 'r' and (n.nspname = 'public' or c.relname = 'pg_statistic') order by 1",
    );
    let tables: Vec<String> = tables.fetch_all(connection).await.expect("the catalogue can be read");
    assert!(tables.len() > 30, "a database without tables proves nothing");
    tables
}

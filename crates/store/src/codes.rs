//! Decoding of values that are stored as numbers or names.

use reflect_types::{ProjectId, Scope};
use sqlx::Row;
use sqlx::postgres::PgRow;

/// Scopes that this binary does not know are passed over: they grant nothing here.
pub(crate) fn scopes(row: &PgRow) -> Result<Vec<Scope>, sqlx::Error> {
    let names: Vec<String> = row.try_get("scopes")?;
    Ok(names.iter().filter_map(|name| name.parse().ok()).collect())
}

/// Projects as a column of numbers.
pub(crate) fn project_numbers(projects: Option<&[ProjectId]>) -> Option<Vec<i32>> {
    projects.map(|projects| projects.iter().map(|project| project.number()).collect())
}

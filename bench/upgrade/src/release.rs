//! The databases of releases: test data in `releases`, one folder per release.

use std::fs::File;
use std::io::{Read, Write};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sqlx::{Connection, Executor, PgConnection};

use crate::postgres::Postgres;
use crate::recording::Recording;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/releases");
/// The owner of nothing, whom the grants name. `reflect migrate` creates it in an installation.
const CREATE_ROLE: &str = "do $$ begin
  if not exists (select from pg_roles where rolname = 'reflect_app') then create role reflect_app nologin; end if;
end $$";
/// Makes tables so large that migrations prepare their changes and `reflect migrate` completes them afterwards in batches: copies
/// of one run without a review, and space that deleted rows have left.
const ENLARGE: &str = include_str!("enlarge.sql");

/// The test data of one release.
#[derive(Debug, Clone)]
pub(crate) struct Release {
    pub(crate) version: String,
    folder: PathBuf,
}

impl Release {
    /// All releases with test data.
    pub(crate) fn all() -> anyhow::Result<Vec<Self>> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(FOLDER).with_context(|| format!("cannot read {FOLDER}"))? {
            let version = entry?.file_name().into_string().ok().context("a release without a name")?;
            found.push(Self::of(&version));
        }
        found.sort_by(|one, other| one.version.cmp(&other.version));
        ensure!(!found.is_empty(), "{FOLDER} is empty");
        Ok(found)
    }

    pub(crate) fn of(version: &str) -> Self {
        Self { version: version.to_owned(), folder: PathBuf::from(FOLDER).join(version) }
    }

    /// What its servers send to Postgres.
    pub(crate) fn recording(&self) -> anyhow::Result<Recording> {
        Recording::read(&self.folder.join("statements.json.gz"))
    }

    /// Writes the test data. Returns the number of bytes.
    pub(crate) fn write(&self, dump: &str, recording: &Recording) -> anyhow::Result<u64> {
        std::fs::create_dir_all(&self.folder)?;
        let (database, statements) =
            (self.folder.join("database.sql.gz"), self.folder.join("statements.json.gz"));
        let mut compressed = GzEncoder::new(File::create(&database)?, Compression::best());
        compressed.write_all(dump.as_bytes())?;
        compressed.finish()?;
        recording.write(&statements)?;
        Ok(std::fs::metadata(database)?.len() + std::fs::metadata(statements)?.len())
    }

    /// Restores its database. `large` also enlarges the tables whose changes depend on their size. Returns the number of its last
    /// migration.
    pub(crate) async fn restore(
        &self,
        postgres: &Postgres,
        database: &str,
        large: bool,
    ) -> anyhow::Result<i64> {
        let path = self.folder.join("database.sql.gz");
        let file = File::open(&path).with_context(|| format!("cannot open {}", path.display()))?;
        let mut script = Vec::new();
        GzDecoder::new(file).read_to_end(&mut script)?;
        let url = postgres.create(database, None).await?;
        let mut connection = PgConnection::connect(&url).await?;
        connection.execute(CREATE_ROLE).await?;
        postgres.restore(&url, &script).await?;
        if large {
            connection.execute(ENLARGE).await?;
        }
        Ok(sqlx::query_scalar("select max(version) from _sqlx_migrations").fetch_one(&mut connection).await?)
    }
}

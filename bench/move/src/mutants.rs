//! Faults that must be detected: a missing row, a changed byte, a batch that was imported twice.

use std::fs;
use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::SLUG;
use crate::place::Place;
use crate::program::Program;

/// The state of the run for the mutants.
pub(crate) struct Stage<'a> {
    pub(crate) program: &'a Program,
    /// The pack that was imported.
    pub(crate) pack: &'a Path,
    /// The database that it was imported to.
    pub(crate) there: &'a Place,
    /// A separate database for the mutants.
    pub(crate) spare: &'a Place,
}

/// The number of the project in this database.
const THIS: &str = "project_id = (select project_id from project where slug = 'moved')";

impl Stage<'_> {
    /// Runs all mutants and returns how many were detected.
    pub(crate) async fn try_all(&self) -> anyhow::Result<usize> {
        self.changed_byte().await?;
        self.batch_twice().await?;
        self.missing_row().await?;
        Ok(3)
    }

    fn pack(&self) -> anyhow::Result<&str> {
        self.pack.to_str().context("a path")
    }

    /// A changed byte in one part: nothing may be imported.
    async fn changed_byte(&self) -> anyhow::Result<()> {
        let damaged = self.pack.with_file_name("damaged");
        copy(self.pack, &damaged)?;
        let part = damaged.join("memory/00001.jsonl.zst");
        let mut bytes = fs::read(&part)?;
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&part, bytes)?;
        let folder = damaged.to_str().context("a path")?;
        let said = self.program.fail(&self.spare.url, &["import", "--from", folder]).await?;
        ensure!(said.contains("memory/00001.jsonl.zst"), "the damaged part is not named: {said}");
        let made = self.spare.number("select count(*) from project").await?;
        ensure!(made == Some(0), "a damaged pack made a project");
        Ok(())
    }

    /// The progress mark is lost, so parts are imported again. With primary keys the database stores no row twice.
    /// Without the key of one table it does, and that must be detected.
    async fn batch_twice(&self) -> anyhow::Result<()> {
        let import = ["import", "--from", self.pack()?, "--as", "moved"];
        self.program.succeed(&self.spare.url, &import).await?;
        self.rewind().await?;
        self.program.succeed(&self.spare.url, &import).await?;

        self.spare.tamper("alter table utility_event drop constraint utility_event_pkey").await?;
        self.rewind().await?;
        let said = self.program.fail(&self.spare.url, &import).await?;
        ensure!(said.contains("utility_event"), "the doubled rows are not named: {said}");
        let usable = ["keys", "create", "--label", "x", "--project", "moved"];
        self.program.fail(&self.spare.url, &usable).await?;
        Ok(())
    }

    /// Changes a finished import so that it seems to have stopped before the ledger.
    async fn rewind(&self) -> anyhow::Result<()> {
        let manifest: Value = serde_json::from_slice(&fs::read(self.pack.join("manifest.json"))?)?;
        let tables = manifest["tables"].as_array().context("tables")?;
        let before = tables.iter().take_while(|table| table["name"] != "utility_event");
        let parts: usize = before.filter_map(|table| Some(table["parts"].as_array()?.len())).sum();
        let digest = sha256(&self.pack.join("manifest.json"))?;
        let mark = format!(
            "update project set import_pack = '{digest}', import_parts = {parts} where slug = 'moved'"
        );
        ensure!(self.spare.tamper(&mark).await? == 1, "there is no project to rewind");
        Ok(())
    }

    /// A changed row of the ledger: the comparison must name the table and the different sum.
    async fn missing_row(&self) -> anyhow::Result<()> {
        let verify = ["verify", "--from", self.pack()?, "--project", SLUG];
        self.program.succeed(&self.there.url, &verify).await?;
        let statement = format!(
            "delete from utility_event where {0} and (review_id, memory_id) in
             (select review_id, memory_id from utility_event where {0} and not withdrawn limit 1)",
            THIS.replace("moved", SLUG)
        );
        ensure!(self.there.tamper(&statement).await? == 1, "no row could be removed");
        let said = self.program.fail(&self.there.url, &verify).await?;
        ensure!(
            said.contains("utility_event") && said.contains("ledger fold"),
            "what is missing is not named: {said}"
        );
        Ok(())
    }
}

/// The digest in the format of `sha256sum`.
fn sha256(file: &Path) -> anyhow::Result<String> {
    Ok(reflect_engine::moving::file_digest(&fs::read(file)?))
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        match path.is_dir() {
            true => copy(&path, &to.join(name))?,
            false => drop(fs::copy(&path, to.join(name))?),
        }
    }
    Ok(())
}

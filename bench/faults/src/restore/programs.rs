//! Programs that take and restore backups.

use std::path::Path;

use anyhow::ensure;
use reflect_bench_ingest::postgres_programs::postgres_programs;
use tokio::process::Command;

/// Runs a program of Postgres, which must succeed. Returns its output.
pub(crate) async fn postgres(name: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let program = postgres_programs()?.join(name);
    succeed(&mut Command::new(program), arguments).await
}

/// Runs a command of `reflect` on a database, which must succeed.
pub(crate) async fn reflect(binary: &Path, database_url: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let mut command = Command::new(binary);
    succeed(command.env("REFLECT_DATABASE_URL", database_url), arguments).await
}

async fn succeed(command: &mut Command, arguments: &[&str]) -> anyhow::Result<String> {
    let output = command.args(arguments).kill_on_drop(true).output().await?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{} failed: {said}", arguments.first().unwrap_or(&"a program"));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

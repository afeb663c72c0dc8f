//! The statements of a retrieval without a server: the store's own files, sent by pgbench. The receipt is not one of them:
//! the server stores it in the background.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};
use sqlx::{Column, Connection, PgConnection, Row};

const NEAREST: &str = include_str!("../../../crates/store/sql/memories/nearest.sql");
const SERVE: &str = include_str!("../../../crates/store/sql/memories/serve.sql");
const TRANSACTIONS: &str = concat!(
    include_str!("../../../crates/store/src/db.rs"),
    include_str!("../../../crates/store/src/point_plans.rs")
);
/// How the server begins a search.
const BEGIN: &str = "begin read only";
/// What the server sets at the beginning of a search, in addition to the project.
const SETTINGS: [&str; 5] = [
    "set local enable_seqscan = off",
    "set local enable_bitmapscan = off",
    "set local plan_cache_mode = force_generic_plan",
    "set local enable_hashjoin = off",
    "set local enable_mergejoin = off",
];
/// What pgbench needs of a receipt, to send the same query.
const RECEIPTS: &str = "select project_id::text as project_id, space_id::text as space_id,
            memory_ids[1:served]::text as served, cardinality(memory_ids)::text as most
     from (select * from retrieval r order by r.retrieval_id desc limit $1) newest
     order by newest.retrieval_id";
/// The settings of the server's read connections.
const SESSION: &str = "-c role=reflect_app -c plan_cache_mode=force_custom_plan -c jit=off \
    -c statement_timeout=5000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000 \
    -c client_min_messages=warning";

/// pgbench with the queries that the server was sent.
#[derive(Debug)]
pub struct Pgbench {
    program: PathBuf,
    database_url: String,
    folder: PathBuf,
    variables: Vec<String>,
    scripts: Vec<PathBuf>,
}

impl Pgbench {
    /// Prepares the queries that the server has just answered: the last receipts belong to them, in the same order.
    pub async fn prepare(
        program: PathBuf,
        database_url: &str,
        questions: &[Vec<f32>],
    ) -> anyhow::Result<Self> {
        for setting in SETTINGS.into_iter().chain([BEGIN]) {
            ensure!(
                TRANSACTIONS.contains(setting),
                "the server no longer says `{setting}`; nor should pgbench"
            );
        }
        let folder = std::env::temp_dir().join(format!("query-ratio-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let mut pgbench = Self {
            program,
            database_url: database_url.to_owned(),
            folder,
            variables: Vec::new(),
            scripts: Vec::new(),
        };
        let mut connection = PgConnection::connect(database_url).await?;
        // Newest last, and all values as the text that pgbench sends.
        let receipts = sqlx::query(RECEIPTS).bind(questions.len() as i64).fetch_all(&mut connection).await?;
        ensure!(receipts.len() == questions.len(), "not every question has a receipt");
        for (number, (receipt, question)) in receipts.iter().zip(questions).enumerate() {
            pgbench.define(number, "question", &format!("{{{}}}", join(question)));
            let mut values = HashMap::new();
            for column in receipt.columns().iter().map(Column::name) {
                // pgbench has no null variables.
                let value = match receipt.try_get(column)? {
                    Some(value) => {
                        pgbench.define(number, column, value);
                        variable(number, column)
                    }
                    None => "null".to_owned(),
                };
                values.insert(column, value);
            }
            values.insert("question", variable(number, "question"));
            let project: &str = receipt.try_get("project_id")?;
            let script = pgbench.folder.join(format!("question-{number}.sql"));
            fs::write(&script, script_text(&values, project)?)?;
            pgbench.scripts.push(script);
        }
        Ok(pgbench)
    }

    /// Runs this many queries one after another, after some warm-up queries. Returns microseconds.
    pub fn run(&self, warm_up: usize, count: usize) -> anyhow::Result<Vec<f64>> {
        let log = self.folder.join("latencies");
        let mut command = Command::new(&self.program);
        command.args(["--no-vacuum", "--protocol=prepared", "--client=1", "--log", "--log-prefix"]).arg(&log);
        command.arg(format!("--transactions={}", warm_up + count));
        command.args(self.variables.iter().map(|variable| format!("--define={variable}")));
        for script in &self.scripts {
            command.arg("--file").arg(script);
        }
        let output = command.arg(&self.database_url).env("PGOPTIONS", SESSION).output();
        let output = output.with_context(|| format!("cannot run {}", self.program.display()))?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "pgbench failed: {complaints}");
        let mut latencies = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("latencies.")) {
                let text = fs::read_to_string(&path)?;
                // The third field is the time from the first statement to the end of the last.
                let times = text.lines().filter_map(|line| line.split(' ').nth(2)?.parse::<f64>().ok());
                latencies.extend(times.skip(warm_up));
                fs::remove_file(&path)?;
            }
        }
        ensure!(latencies.len() == count, "pgbench logged {} of {count}: {complaints}", latencies.len());
        Ok(latencies)
    }

    fn define(&mut self, number: usize, name: &str, value: &str) {
        self.variables.push(format!("{name}_{number}={value}"));
    }
}

impl Drop for Pgbench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The same round trips as the server: begin with settings, candidates, winners, commit.
fn script_text(values: &HashMap<&str, String>, project: &str) -> anyhow::Result<String> {
    let value_of = |name: &str| values.get(name).cloned().with_context(|| format!("a receipt has no {name}"));
    let settings: String = SETTINGS.iter().map(|setting| format!("{setting};\n")).collect();
    let nearest: Result<Vec<_>, _> =
        ["project_id", "space_id", "question", "most"].map(value_of).into_iter().collect();
    let serve: Result<Vec<_>, _> = ["project_id", "served"].map(value_of).into_iter().collect();
    let (nearest, serve) = (with_values(NEAREST, &nearest?), with_values(SERVE, &serve?));
    Ok(format!(
        "\\startpipeline\n{BEGIN};\nset local reflect.project_id = {project};\n{settings}\
         \\endpipeline\n{nearest};\n{serve};\ncommit;\n"
    ))
}

/// The space separates the colon of a slice from the colon of the variable.
fn variable(number: usize, name: &str) -> String {
    format!(" :{name}_{number}")
}

/// A statement with pgbench variables instead of its parameters. The highest number is replaced first, because `$1` is
/// also the beginning of `$11`.
fn with_values(statement: &str, values: &[String]) -> String {
    let lines = statement.lines().filter(|line| !line.starts_with("--"));
    let statement = lines.collect::<Vec<_>>().join("\n");
    let numbered = values.iter().enumerate().rev();
    numbered.fold(statement, |text, (index, value)| text.replace(&format!("${}", index + 1), value))
}

fn join(vector: &[f32]) -> String {
    vector.iter().map(f32::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_of_the_statements_has_a_value() {
        for (statement, parameters) in [(NEAREST, 4), (SERVE, 2)] {
            let text = with_values(statement, &vec!["1".to_owned(); parameters]);
            assert!(!text.contains('$'), "{text}");
        }
    }
}

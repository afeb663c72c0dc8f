//! The statements of a retrieval without a server: the store's own files, sent by pgbench.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};
use sqlx::{AssertSqlSafe, Column, Connection, PgConnection, Row};

const NEAREST: &str = include_str!("../../../crates/store/sql/memories/nearest.sql");
const SERVE: &str = include_str!("../../../crates/store/sql/memories/serve.sql");
const PROJECT_CTX: &str = include_str!("../../../crates/store/src/project_ctx.rs");
/// What the server sets at the beginning of a search, besides the project.
const SETTINGS: [&str; 3] = [
    "set local enable_seqscan = off",
    "set local enable_bitmapscan = off",
    "set local synchronous_commit = off",
];
/// How the server's connections for reading are set up.
const SESSION: &str = "-c role=reflect_app -c plan_cache_mode=force_custom_plan -c jit=off \
    -c statement_timeout=5000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000 \
    -c client_min_messages=warning";

/// pgbench, ready to ask the same questions as the server was asked.
#[derive(Debug)]
pub struct Pgbench {
    program: PathBuf,
    database_url: String,
    folder: PathBuf,
    variables: Vec<String>,
    scripts: Vec<PathBuf>,
}

impl Pgbench {
    /// Takes over what the server has just been asked: the last receipts belong to these questions, in
    /// the same order.
    pub async fn prepare(
        program: PathBuf,
        database_url: &str,
        questions: &[Vec<f32>],
    ) -> anyhow::Result<Self> {
        for setting in SETTINGS {
            ensure!(
                PROJECT_CTX.contains(setting),
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
        // Newest last, and everything as the text that pgbench will send.
        let receipts = sqlx::query(AssertSqlSafe(format!(
            "select * from (
               select retrieval_id, project_id::text, key_id::text, space_id::text, task, task_digest::text,
                      parameters::text, memory_ids::text, similarities::text, utilities::text, served::text,
                      cardinality(memory_ids)::text as most
               from retrieval order by retrieval_id desc limit {}) r order by retrieval_id",
            questions.len()
        )));
        let receipts = receipts.fetch_all(&mut connection).await?;
        ensure!(receipts.len() == questions.len(), "not every question has a receipt");
        for (number, (receipt, question)) in receipts.iter().zip(questions).enumerate() {
            pgbench.define(number, "question", &format!("{{{}}}", join(question)));
            for column in 1..receipt.len() {
                let name = receipt.column(column).name();
                pgbench.define(number, name, receipt.try_get(column)?);
            }
            let script = pgbench.folder.join(format!("question-{number}.sql"));
            fs::write(&script, script_text(number, receipt.try_get("project_id")?))?;
            pgbench.scripts.push(script);
        }
        Ok(pgbench)
    }

    /// Asks this many questions one after another, after some that are not counted. In microseconds.
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

/// The same round trips as the server makes: begin and settings at once, candidates, winners, commit.
fn script_text(number: usize, project_number: &str) -> String {
    // The space keeps a slice's colon apart from the variable's.
    let variable = |name: &str| format!(" :{name}_{number}");
    let project = variable("project_id");
    let settings: String = SETTINGS.iter().map(|setting| format!("{setting};\n")).collect();
    let nearest =
        with_values(NEAREST, &[&project, &variable("space_id"), &variable("question"), &variable("most")]);
    let serve = with_values(
        SERVE,
        &[
            &project,
            "uuidv7()",
            &variable("key_id"),
            &variable("space_id"),
            &variable("task"),
            &variable("task_digest"),
            &variable("parameters"),
            &variable("memory_ids"),
            &variable("similarities"),
            &variable("utilities"),
            &variable("served"),
            "false",
            "1",
            "1",
        ],
    );
    format!(
        "\\startpipeline\nbegin;\nset local reflect.project_id = {project_number};\n{settings}\
         \\endpipeline\n{nearest};\n{serve};\ncommit;\n"
    )
}

/// A statement with pgbench's variables for its parameters. The highest number first, because `$1`
/// is also the beginning of `$11`.
fn with_values(statement: &str, values: &[&str]) -> String {
    let lines = statement.lines().filter(|line| !line.starts_with("--"));
    let statement = lines.collect::<Vec<_>>().join("\n");
    values
        .iter()
        .enumerate()
        .rev()
        .fold(statement, |text, (index, value)| text.replace(&format!("${}", index + 1), value))
}

fn join(vector: &[f32]) -> String {
    vector.iter().map(f32::to_string).collect::<Vec<_>>().join(",")
}

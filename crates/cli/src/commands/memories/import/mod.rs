//! `reflect memories import`: memories from JSON lines, from exports of Mem0 and Letta, and from rule files. Each becomes a
//! quarantined memory with its provenance. Repeating an import creates nothing twice.

mod candidate;
#[cfg(test)]
mod fuzz;
mod json_lines;
mod letta;
mod mem0;
mod rules;
mod sources;

use std::cell::Cell;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use futures::{StreamExt, stream};
use indicatif::ProgressBar;
use reflect_sdk::ReflectClient;
use reflect_types::MemoryOrigin;
use serde_json::{Value, json};

use self::candidate::Candidate;
use self::json_lines::FieldMapping;
use self::sources::SourceFile;
use crate::arguments::pairs::Pair;
use crate::connection::Connection;
use crate::failure::{Failure, Kind};
use crate::output::{Output, Table, counted, plain_line};

/// How many memories are sent at the same time.
const AT_ONCE: usize = 4;
/// How many rejected items are listed.
const MAX_LISTED: usize = 20;

/// Import memories from files. They are quarantined until a person releases them.
#[derive(Debug, Args)]
pub(crate) struct Import {
    #[command(flatten)]
    connection: Connection,
    /// Files, or folders with rule files: CLAUDE.md, AGENTS.md, .cursorrules and .cursor/rules/*.mdc.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The format. Default: by the name and the content of each file.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// For JSON lines: which field of a line is a field of the memory, such as `guidance=lesson.text`. Repeatable.
    #[arg(long, value_name = "NAME=PATH", value_parser = FieldMapping::parse)]
    map: Vec<FieldMapping>,
    /// Metadata to filter by, for all of them. Repeatable.
    #[arg(long, value_name = "NAME=VALUE")]
    metadata: Vec<Pair>,
    /// Show what would be imported and send nothing.
    #[arg(long)]
    dry_run: bool,
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object per line.
    Jsonl,
    /// The result of `get_all` of Mem0, or its export, as JSON.
    Mem0,
    /// An agent file of Letta, or a list of its passages, as JSON.
    Letta,
    /// Rules for coding agents in Markdown: CLAUDE.md, AGENTS.md, Cursor rules.
    Rules,
}

impl Format {
    /// The importer, in the provenance.
    const fn importer(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Mem0 => "mem0",
            Self::Letta => "letta",
            Self::Rules => "rules",
        }
    }
}

/// An item that cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unreadable {
    line: Option<u32>,
    why: String,
}

type Items = Vec<Result<Candidate, Unreadable>>;

#[derive(Default)]
struct Outcome {
    created: usize,
    known: usize,
    refused: Vec<Value>,
}

pub(super) async fn run(arguments: Import, output: &Output) -> anyhow::Result<()> {
    let mut outcome = Outcome::default();
    let mut candidates = Vec::new();
    for file in sources::files(&arguments.files)? {
        for item in read(&file, &arguments)? {
            match item {
                Ok(candidate) => candidates.push(with_metadata(candidate, &arguments.metadata)),
                Err(Unreadable { line, why }) => {
                    outcome.refused.push(json!({ "file": file.name, "line": line, "message": why }));
                }
            }
        }
    }
    if arguments.dry_run {
        return preview(&candidates, &outcome, output);
    }
    let client = arguments.connection.client()?;
    let bar = output.progress("Importing", Some(candidates.len() as u64));
    let imported =
        import(&candidates, &mut outcome, &bar, async |candidate| send(&client, candidate).await).await;
    bar.finish_and_clear();
    let reported = report(&outcome, output);
    imported.and(reported)
}

/// Imports the candidates, and counts what became of them. After an error, only those that are on their way are counted too.
async fn import(
    candidates: &[Candidate],
    outcome: &mut Outcome,
    bar: &ProgressBar,
    send: impl AsyncFn(&Candidate) -> anyhow::Result<Sent>,
) -> anyhow::Result<()> {
    let failed = Cell::new(false);
    let mut imported = Ok(());
    // The first one alone, because it may show that the server is too old.
    let (first, rest) = candidates.split_at(candidates.len().min(1));
    for part in [first, rest] {
        let waiting = part.iter().take_while(|_| !failed.get());
        let mut sent = stream::iter(waiting).map(|candidate| send(candidate)).buffered(AT_ONCE);
        while let Some(result) = sent.next().await {
            bar.inc(1);
            match result {
                Ok(Sent::Created) => outcome.created += 1,
                Ok(Sent::Known) => outcome.known += 1,
                Ok(Sent::Refused(refusal)) => outcome.refused.push(refusal),
                Err(error) => {
                    failed.set(true);
                    imported = imported.and(Err(error));
                }
            }
        }
    }
    imported
}

fn read(file: &SourceFile, arguments: &Import) -> anyhow::Result<Items> {
    let format = match arguments.format {
        Some(format) => format,
        None => file.format()?,
    };
    let items = match format {
        Format::Jsonl => json_lines::read(file, &arguments.map),
        Format::Mem0 => mem0::read(file)?,
        Format::Letta => letta::read(file)?,
        Format::Rules => rules::read(file),
    };
    Ok(items)
}

fn with_metadata(mut candidate: Candidate, metadata: &[Pair]) -> Candidate {
    for Pair { name, value } in metadata {
        candidate.metadata.insert(name.clone(), value.clone());
    }
    candidate
}

/// What became of a candidate.
enum Sent {
    Created,
    Known,
    Refused(Value),
}

async fn send(client: &ReflectClient, candidate: &Candidate) -> anyhow::Result<Sent> {
    match client.curation.write(&candidate.request()).await {
        // An older server ignores where it comes from.
        Ok(answer) if answer.memory.origin != MemoryOrigin::Import => {
            let id = answer.memory.id;
            let message = format!("the server is too old for imports: memory {id} is not quarantined");
            Err(Failure::new(Kind::Api, "no_imports", message)
                .fix(format!("run `reflect memories delete {id}`, and update the server"))
                .into())
        }
        Ok(answer) if answer.action_id.is_some() => Ok(Sent::Created),
        // Also if the memory was deleted or erased since.
        Ok(_) => Ok(Sent::Known),
        Err(error) if matches!(error.status(), Some(400 | 409 | 413 | 422)) => Ok(Sent::Refused(json!({
            "file": candidate.file, "line": candidate.line, "message": error.to_string(),
        }))),
        Err(error) => Err(error.into()),
    }
}

fn preview(candidates: &[Candidate], outcome: &Outcome, output: &Output) -> anyhow::Result<()> {
    let items: Vec<_> = candidates.iter().map(Candidate::request).collect();
    output.list("memory.import-preview/1", &items, None, || {
        let mut table = Table::new(&["SOURCE", "~TASK", "~LESSON"]);
        for candidate in candidates {
            let lesson = plain_line(&candidate.guidance);
            table.row(&[&candidate.source(), &plain_line(&candidate.task), &lesson]);
        }
        table
    })?;
    refusals(outcome, output)
}

fn report(outcome: &Outcome, output: &Output) -> anyhow::Result<()> {
    let Outcome { created, known, refused } = outcome;
    let item = json!({ "created": created, "already_imported": known, "refused": refused });
    output.item("memory.import/1", &item, || {
        format!("Imported {created}, {known} imported before, {} rejected.", refused.len())
    })?;
    if *created > 0 {
        output.next("reflect memories list --filter 'status:quarantined origin:import'");
    }
    refusals(outcome, output)
}

fn refusals(outcome: &Outcome, output: &Output) -> anyhow::Result<()> {
    for refused in outcome.refused.iter().take(MAX_LISTED) {
        let line = refused["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
        let text = |name: &str| refused[name].as_str().unwrap_or_default().to_owned();
        output.say(&format!("{}{line}: {}", text("file"), text("message")));
    }
    match outcome.refused.len() {
        0 => Ok(()),
        some => Err(Failure::new(Kind::Api, "refused", format!("{} rejected", counted(some, "item")))
            .fix("correct these items and import the file again")
            .into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn an_error_ends_the_import_and_what_was_sent_before_it_is_counted() {
        let candidate = |line| Candidate { line: Some(line), ..Candidate::default() };
        let candidates: Vec<Candidate> = (0..100).map(candidate).collect();
        let sent = Cell::new(0);
        let send = async |candidate: &Candidate| {
            sent.set(sent.get() + 1);
            tokio::task::yield_now().await;
            match candidate.line {
                Some(1) => Ok(Sent::Known),
                Some(2) => Ok(Sent::Refused(Value::Null)),
                Some(10) => anyhow::bail!("the server stopped"),
                _ => Ok(Sent::Created),
            }
        };

        let mut outcome = Outcome::default();
        let error = import(&candidates, &mut outcome, &ProgressBar::hidden(), send).await.unwrap_err();

        assert_eq!(error.to_string(), "the server stopped");
        assert_eq!((outcome.known, outcome.refused.len()), (1, 1));
        // All that were sent, without the one that failed.
        assert_eq!(outcome.created + 3, sent.get());
        assert!(sent.get() <= 11 + AT_ONCE, "{}", sent.get());
    }

    #[tokio::test]
    async fn an_answer_that_something_is_missing_is_no_earlier_import() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 64 * 1024]).unwrap();
            let body = r#"{"error":{"code":"not_found","message":"no such memory","request_id":"r1"}}"#;
            let head = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nConnection: close";
            write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
            // A request that is not read to its end would reset the connection.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
        let client = ReflectClient::builder().base_url(url).api_key("rf_test_x").build().unwrap();

        let sent = send(&client, &Candidate::of_text("rules", "Run the tests.", "")).await;

        assert_eq!(Failure::of(&sent.err().unwrap()).code, "not_found");
        server.join().unwrap();
    }
}

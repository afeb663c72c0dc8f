//! `reflect review apply FILE`: verdicts from a JSON lines or CSV file with the columns trace_id, result and feedback.
//! The whole file is checked before the first verdict is sent. Applying a file twice changes nothing.

use std::path::Path;

use reflect_api::{Trace, decode, fields_of};
use reflect_sdk::{ReflectClient, ReviewVerdict};
use reflect_types::{ReviewResult, TraceId};
use serde::Deserialize;
use serde_json::json;

use super::line_input::parse_result;
use crate::failure::{Failure, Kind};
use crate::output::Output;

const BATCH_SIZE: usize = 100;

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    line: usize,
    trace_id: TraceId,
    result: ReviewResult,
    feedback: Option<String>,
}

pub(crate) async fn apply(
    client: &ReflectClient,
    file: &Path,
    dry_run: bool,
    output: &Output,
) -> anyhow::Result<()> {
    let text = read(file)?;
    let rows = rows(&text).map_err(|problems| {
        let message = format!("{} cannot be applied: {}", file.display(), problems.join("; "));
        Failure::new(Kind::Local, "bad_file", message).fix("correct these lines; nothing was sent")
    })?;
    let passes = rows.iter().filter(|row| row.result == ReviewResult::Pass).count();
    let counts = format!("{passes} pass, {} fail", rows.len() - passes);
    if dry_run {
        let item =
            json!({ "dry_run": true, "reviews": rows.len(), "pass": passes, "fail": rows.len() - passes });
        return output
            .item("review.apply/1", &item, || format!("{} reviews would be sent: {counts}.", rows.len()));
    }
    let bar = output.progress("Reviewing", u64::try_from(rows.len()).ok());
    let mut refused = Vec::new();
    for part in rows.chunks(BATCH_SIZE) {
        let outcomes =
            client.reviews.create_many(part.iter().map(|row| (row.trace_id, verdict(row)))).await?;
        for (row, outcome) in part.iter().zip(outcomes) {
            if let Some(error) = outcome.error() {
                refused.push(json!({ "line": row.line, "trace_id": row.trace_id, "code": error.code, "message": error.message }));
            }
        }
        bar.inc(u64::try_from(part.len()).unwrap_or_default());
    }
    bar.finish_and_clear();
    let taken = rows.len() - refused.len();
    let item = json!({ "dry_run": false, "reviews": rows.len(), "taken": taken, "refused": refused });
    output.item("review.apply/1", &item, || {
        format!("{taken} of {} reviews were accepted ({counts}).", rows.len())
    })?;
    for one in &refused {
        output.warn(&format!("line {}: {}", one["line"], one["message"].as_str().unwrap_or_default()));
    }
    if refused.is_empty() {
        return Ok(());
    }
    Err(Failure::new(Kind::Api, "some_refused", format!("the server rejected {} reviews", refused.len()))
        .fix("correct these lines and apply the file again; accepted lines can stay in it")
        .into())
}

fn read(file: &Path) -> anyhow::Result<String> {
    if file == Path::new("-") {
        return Ok(std::io::read_to_string(std::io::stdin())?);
    }
    std::fs::read_to_string(file).map_err(|error| {
        Failure::new(Kind::Local, "unreadable", format!("{} cannot be read: {error}", file.display())).into()
    })
}

fn verdict(row: &Row) -> ReviewVerdict {
    match (row.result, row.feedback.as_deref()) {
        (ReviewResult::Pass, None) => ReviewVerdict::pass(),
        (ReviewResult::Pass, Some(words)) => ReviewVerdict::pass().feedback(words),
        (ReviewResult::Fail, None) => ReviewVerdict::new(ReviewResult::Fail),
        (ReviewResult::Fail, Some(words)) => ReviewVerdict::fail(words),
    }
}

/// The rows of a file, or its first errors.
fn rows(text: &str) -> Result<Vec<Row>, Vec<String>> {
    let is_json = text.trim_start().starts_with('{');
    let read = if is_json { json_rows(text) } else { csv_rows(text) };
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for row in read {
        match row {
            Ok(row) => rows.push(row),
            Err(problem) => problems.push(problem),
        }
    }
    problems.truncate(10);
    if problems.is_empty() { Ok(rows) } else { Err(problems) }
}

#[derive(Deserialize)]
struct JsonRow {
    trace_id: String,
    result: String,
    #[serde(alias = "feedback_text")]
    feedback: Option<String>,
}

fn json_rows(text: &str) -> Vec<Result<Row, String>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            let decoded = decode::<JsonRow>(line.as_bytes());
            // A field that is not read may be feedback that is lost. Fields of exported runs are not.
            let mut unknown = decoded.unknown.iter();
            if let Some(field) = unknown.find(|field| !fields_of::<Trace>().contains(&field.path.as_str())) {
                return Err(format!("line {}: unknown field {field}", index + 1));
            }
            let read = decoded.body.map_err(|error| format!("line {}: {error}", index + 1))?;
            row(index + 1, &read.trace_id, &read.result, read.feedback)
        })
        .collect()
}

fn csv_rows(text: &str) -> Vec<Result<Row, String>> {
    let mut records = records(text).into_iter();
    let Some((_, head)) = records.next() else { return Vec::new() };
    let column =
        |names: [&str; 2]| head.iter().position(|name| names.contains(&name.trim().to_lowercase().as_str()));
    let (Some(id), Some(said)) = (column(["trace_id", "id"]), column(["result", "verdict"])) else {
        return vec![Err(
            "line 1: the first line must name the columns trace_id, result and feedback".to_owned()
        )];
    };
    let feedback = column(["feedback", "feedback_text"]);
    let known = |name: &str| {
        ["id", "result", "verdict", "trace_id", "feedback", "feedback_text", ""].contains(&name)
            || fields_of::<Trace>().contains(&name)
    };
    if let Some(name) = head.iter().find(|name| !known(&name.trim().to_lowercase())) {
        return vec![Err(format!(
            "line 1: unknown column {:?}; the columns are trace_id, result and feedback",
            name.trim()
        ))];
    }
    records
        .map(|(line, fields)| {
            let field = |index: usize| fields.get(index).map(String::as_str).unwrap_or_default();
            let words = feedback.map(|index| field(index).trim().to_owned());
            row(line, field(id), field(said), words)
        })
        .collect()
}

fn row(line: usize, id: &str, said: &str, feedback: Option<String>) -> Result<Row, String> {
    let trace_id = id.trim().parse().map_err(|_| format!("line {line}: {id:?} is not a trace id"))?;
    let result =
        parse_result(said).ok_or_else(|| format!("line {line}: {said:?} is neither pass nor fail"))?;
    Ok(Row { line, trace_id, result, feedback: feedback.filter(|words| !words.is_empty()) })
}

/// The records of a CSV file (RFC 4180), each with the number of its first line.
fn records(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut records, mut fields, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut line, mut began, mut quoted) = (1, 1, false);
    let mut letters = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if quoted || field.is_empty() => quoted = !quoted,
            ',' if !quoted => fields.push(std::mem::take(&mut field)),
            '\r' if !quoted && letters.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                fields.push(std::mem::take(&mut field));
                records.push((began, std::mem::take(&mut fields)));
                began = line;
            }
            _ => field.push(letter),
        }
    }
    fields.push(field);
    records.push((began, fields));
    records.retain(|(_, fields)| fields.iter().any(|field| !field.trim().is_empty()));
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_and_csv_are_equivalent() {
        let (one, two) = (TraceId::generate(), TraceId::generate());
        let json = format!(
            "{{\"trace_id\":\"{one}\",\"result\":\"pass\"}}\n\n{{\"trace_id\":\"{two}\",\"result\":\"fail\",\"feedback_text\":\"a, \\\"b\\\"\\nc\"}}\n"
        );
        let csv = format!(
            "\u{feff}Result,trace_id,feedback\r\npass,{one},\r\n\r\nfail,{two},\"a, \"\"b\"\"\nc\"\r\n"
        );

        let [from_json, from_csv] = [json, csv].map(|text| {
            let rows = rows(&text).unwrap();
            rows.into_iter().map(|row| (row.trace_id, row.result, row.feedback)).collect::<Vec<_>>()
        });

        assert_eq!(from_json, from_csv);
        assert_eq!(from_json[1], (two, ReviewResult::Fail, Some("a, \"b\"\nc".to_owned())));
    }

    #[test]
    fn every_error_names_its_line() {
        let id = TraceId::generate();
        let csv = format!("trace_id,result\n{id},pass\nnone,pass\n{id},maybe\n");

        let problems = rows(&csv).unwrap_err();

        assert_eq!(problems.len(), 2);
        assert!(problems[0].starts_with("line 3") && problems[1].starts_with("line 4"), "{problems:?}");
        assert!(rows("a,b\n1,2\n").unwrap_err()[0].contains("trace_id"));
        let misspelled = format!(r#"{{"trace_id":"{id}","result":"fail","fedback":"no"}}"#);
        assert_eq!(
            rows(&misspelled).unwrap_err(),
            ["line 1: unknown field fedback (did you mean feedback?)"]
        );
        let with_task = format!("trace_id,task,result,comment\n{id},t,fail,no\n");
        assert!(rows(&with_task).unwrap_err()[0].contains("\"comment\""));
        assert!(rows("{\"trace_id\":1}").unwrap_err()[0].starts_with("line 1"));
    }
}

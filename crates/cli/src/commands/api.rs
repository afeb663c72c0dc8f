//! `reflect api`: any API call, with the connection that other commands use.

use std::io::Read;

use anyhow::Context;
use clap::Args;
use reflect_sdk::ReflectClient;
use serde_json::{Map, Value};

use crate::arguments::pairs::Pair;
use crate::connection::Connection;
use crate::failure::Failure;
use crate::output::{Output, escaped};

/// Call any endpoint of the API.
#[derive(Debug, Args)]
pub(crate) struct Api {
    #[command(flatten)]
    connection: Connection,
    /// GET, POST, PATCH or DELETE.
    method: String,
    /// The path. With a leading slash it is relative to the server, such as /health; otherwise it is relative to the
    /// project, such as traces/rows.
    path: String,
    /// A field of the body, or a query parameter of a GET. Repeatable.
    #[arg(short, long, value_name = "NAME=VALUE")]
    field: Vec<Pair>,
    /// A file with the body, or - for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "field")]
    input: Option<String>,
    /// Fetch all pages of a list and print them as one array.
    #[arg(long)]
    paginate: bool,
}

pub(crate) async fn run(arguments: Api, output: &Output) -> anyhow::Result<()> {
    let client = arguments.connection.client()?;
    let method = arguments.method.to_ascii_uppercase();
    let body = body(&arguments, &method)?;
    let path = if method == "GET" { with_fields(&arguments.path, &arguments.field) } else { arguments.path };
    if !arguments.paginate {
        let answer = client.raw(&method, &path, body.as_ref()).await?;
        return shown(&answer.body, output);
    }
    if method != "GET" {
        return Err(Failure::usage("--paginate works with GET only").into());
    }
    let whole = pages(&client, &path).await?;
    output.line(&escaped(&Value::Array(whole).to_string()))
}

async fn pages(client: &ReflectClient, path: &str) -> anyhow::Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut at = path.to_owned();
    loop {
        let answer = client.raw("GET", &at, None).await?;
        match serde_json::from_slice(&answer.body) {
            Ok(Value::Array(page)) => all.extend(page),
            _ => return Err(Failure::usage(format!("{path} does not return a list")).into()),
        }
        let Some(cursor) = answer.next_cursor else { return Ok(all) };
        at = with_parameter(path, "cursor", &cursor);
    }
}

fn body(arguments: &Api, method: &str) -> anyhow::Result<Option<Value>> {
    if let Some(file) = &arguments.input {
        let mut text = String::new();
        if file == "-" {
            std::io::stdin().read_to_string(&mut text).context("cannot read stdin")?;
        } else {
            text = std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
        }
        let read = serde_json::from_str(&text);
        return Ok(Some(read.map_err(|error| Failure::usage(format!("{file} is not valid JSON: {error}")))?));
    }
    if method == "GET" || (arguments.field.is_empty() && method == "DELETE") {
        return Ok(None);
    }
    let fields = arguments.field.iter().map(|pair| (pair.name.clone(), pair.value.clone()));
    Ok(Some(Value::Object(fields.collect::<Map<String, Value>>())))
}

/// Prints JSON on one line, anything else as it is.
fn shown(body: &[u8], output: &Output) -> anyhow::Result<()> {
    if body.is_empty() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(body);
    match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
        Ok(json) => output.line(&escaped(json.get())),
        Err(_) if output.terminal.stdout_is_terminal => output.line(&crate::output::plain(&text)),
        Err(_) => output.line(&text),
    }
}

fn with_fields(path: &str, fields: &[Pair]) -> String {
    fields.iter().fold(path.to_owned(), |path, pair| {
        let value = pair.value.as_str().map_or_else(|| pair.value.to_string(), str::to_owned);
        with_parameter(&path, &pair.name, &value)
    })
}

fn with_parameter(path: &str, name: &str, value: &str) -> String {
    let mark = if path.contains('?') { '&' } else { '?' };
    format!("{path}{mark}{}={}", encoded(name), encoded(value))
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_get_become_query_parameters() {
        let fields = ["limit=1", "text=a&b é"].map(|text| text.parse().unwrap());

        assert_eq!(with_fields("traces/rows", &fields), "traces/rows?limit=1&text=a%26b%20%C3%A9");
        assert_eq!(with_parameter("a?b=c", "d", "e"), "a?b=c&d=e");
    }
}

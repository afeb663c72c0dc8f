//! Blocks that are checked but not run: JSON, TOML, YAML, and HTTP requests.
//!
//! JSON is parsed here. Python parses TOML and YAML. A request must use a route of
//! the API description.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::Value;

use super::blocks::Plan;

/// Parses standard input. Prints the error in one line, or nothing.
const READER: &str = r"
import sys
text = sys.stdin.read()
try:
    if sys.argv[1] == 'toml':
        import tomllib
        tomllib.loads(text)
    else:
        import yaml
        list(yaml.safe_load_all(text))
except Exception as problem:
    print(' '.join(str(problem).split()))
";

/// The error in a block that is only checked, if there is one.
pub(crate) fn fault(plan: &Plan, text: &str, python: &Path, openapi: &Value) -> Result<Option<String>> {
    match plan {
        Plan::Json => Ok(json_fault(text)),
        Plan::Toml => read_by_python(python, "toml", text),
        Plan::Yaml => read_by_python(python, "yaml", text),
        Plan::Http => Ok(request_fault(text, openapi)),
        _ => Ok(None),
    }
}

/// One value, or one value per line, as in logs.
fn json_fault(text: &str) -> Option<String> {
    let text = without_omissions(text);
    let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    values.filter_map(Result::err).map(|error| format!("this is not valid JSON: {error}")).next()
}

/// `…` instead of a value or an entry means that something is omitted.
fn without_omissions(text: &str) -> String {
    let mut kept = String::new();
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        if c == '…' && !in_string {
            let end = kept.trim_end().len();
            if kept[..end].ends_with(',') {
                kept.truncate(end - 1);
            }
            continue;
        }
        in_string ^= c == '"' && !escaped;
        escaped = in_string && c == '\\' && !escaped;
        kept.push(c);
    }
    kept
}

fn read_by_python(python: &Path, form: &str, text: &str) -> Result<Option<String>> {
    let mut child = Command::new(python)
        .args(["-c", READER, form])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", python.display()))?;
    child.stdin.take().context("standard input is a pipe")?.write_all(text.as_bytes())?;
    let error = String::from_utf8_lossy(&child.wait_with_output()?.stdout).trim().to_owned();
    Ok((!error.is_empty()).then(|| format!("this is not valid {}: {error}", form.to_uppercase())))
}

/// `METHOD /path` on the first line, then headers, an empty line, and an optional body.
fn request_fault(text: &str, openapi: &Value) -> Option<String> {
    let mut words = text.lines().next().unwrap_or_default().split_whitespace();
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Some("a request begins with its method and its path".to_owned());
    };
    let path = path.split('?').next().unwrap_or_default();
    let routes = openapi["paths"].as_object();
    let known = routes
        .into_iter()
        .flatten()
        .any(|(route, methods)| fits(route, path) && methods.get(method.to_lowercase()).is_some());
    if !known {
        return Some(format!("the API has no route {method} {path}"));
    }
    let (_, body) = text.split_once("\n\n")?;
    json_fault(body)
}

fn fits(route: &str, path: &str) -> bool {
    let (route, path): (Vec<_>, Vec<_>) = (route.split('/').collect(), path.split('/').collect());
    let same = |(have, want): (&&str, &&str)| have.starts_with('{') || have == want;
    route.len() == path.len() && route.iter().zip(&path).all(same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_may_omit_parts_and_must_otherwise_be_valid() {
        assert_eq!(json_fault(r#"{"a": 1, "b": {…}, "c": "…", …}"#), None);
        assert_eq!(json_fault("[1, …]\n{\"a\": \"\\\"…\"}\n"), None);
        assert!(json_fault("{\"a\": }").is_some());
        assert!(json_fault("{'a': 1}").is_some());
    }

    #[test]
    fn a_request_must_use_an_existing_route() {
        let openapi = serde_json::json!({"paths": {"/v1/projects/{project_id}/traces": {"post": {}}}});
        let request =
            "POST /v1/projects/demo/traces HTTP/1.1\nAuthorization: Bearer …\n\n{\"task\": \"t\"}\n";

        assert_eq!(request_fault(request, &openapi), None);
        assert!(request_fault(&request.replace("traces", "runs"), &openapi).is_some());
        assert!(request_fault(&request.replace("POST", "PUT"), &openapi).is_some());
        assert!(request_fault(&request.replace('}', ""), &openapi).is_some());
    }
}

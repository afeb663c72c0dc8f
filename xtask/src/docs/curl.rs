//! Examples with `curl` for the page of the REST API. The check of the book runs them in the order of the page.

use serde_json::Value;

/// Ids that the examples of bodies use, and the variables with real ones. A batch of reviews uses another trace than the
/// review of a trace, because a second verdict would be refused.
const IDS: [(&str, &str); 3] = [
    ("01a1dd7e-3ee9-72ee-8967-c21adbd96373", "OTHER_TRACE_ID"),
    ("01a1dd7e-3f02-7a11-b0a5-0c8d9be1f2d7", "MEMORY_ID"),
    ("01a1dd7e-5b1c-7d02-9f0e-6f2d3c5b8a41", "RETRIEVAL_ID"),
];

/// Routes of a project with an example, by method and path below the project. Others need a state that this page does
/// not have, or would remove what later examples use.
const OF_PROJECT: &[(&str, &str)] = &[
    ("get", "/traces"),
    ("post", "/traces"),
    ("post", "/traces/batch"),
    ("get", "/traces/rows"),
    ("get", "/traces/{trace_id}"),
    ("get", "/traces/{trace_id}/steps"),
    ("get", "/review-queue"),
    ("post", "/review-queue/next"),
    ("post", "/reviews/batch"),
    ("post", "/reviews/bulk"),
    ("post", "/traces/{trace_id}/review"),
    ("post", "/memory/augment"),
    ("post", "/memory/query"),
    ("get", "/retrievals/{retrieval_id}"),
    ("get", "/actions"),
    ("get", "/memories"),
    ("post", "/memories"),
    ("post", "/memories/bulk"),
    ("get", "/memories/{memory_id}"),
    ("patch", "/memories/{memory_id}"),
    ("get", "/memories/{memory_id}/history"),
    ("get", "/memories/{memory_id}/neighbours"),
    ("post", "/memories/{memory_id}/pin"),
    ("post", "/memories/{memory_id}/unpin"),
    ("get", "/memories/{memory_id}/uses"),
    ("post", "/client-reports"),
    ("get", "/diagnosis"),
    ("get", "/loop-health"),
    ("get", "/overview"),
    ("get", "/overview/story"),
    ("get", "/uplift"),
    ("post", "/skill/create"),
    ("get", ""),
];
const OF_SERVER: &[&str] = &["/health", "/ready", "/ready/write", "/metrics", "/openapi.json"];
const PROJECT: &str = "/v1/projects/{project_id}";

/// What the examples need: ids of a trace, of a memory and of a retrieval.
pub(super) const SETUP: &str = r#"
The examples use `curl` and `jq`. They need `REFLECT_BASE_URL`, `REFLECT_API_KEY` and `REFLECT_PROJECT_ID`, and some ids:

```sh
PROJECT="$REFLECT_BASE_URL/v1/projects/$REFLECT_PROJECT_ID"
AUTHORIZATION="Authorization: Bearer $REFLECT_API_KEY"
JSON="Content-Type: application/json"
TRACE_ID=$(curl -sS --fail-with-body "$PROJECT/traces" -H "$AUTHORIZATION" -H "$JSON" \
  -d '{"task": "Refund order 1182", "trajectory": "I refunded 240.00."}' | jq -r .trace_id)
OTHER_TRACE_ID=$(curl -sS --fail-with-body "$PROJECT/traces" -H "$AUTHORIZATION" -H "$JSON" \
  -d '{"task": "Refund order 1183", "trajectory": "I refunded 24.00."}' | jq -r .trace_id)
MEMORY_ID=$(curl -sS --fail-with-body "$PROJECT/memories" -H "$AUTHORIZATION" -H "$JSON" \
  -d '{"task": "Refund order 77", "guidance": "Look the price up first."}' | jq -r .memory.id)
RETRIEVAL_ID=$(curl -sS --fail-with-body "$PROJECT/memory/query" -H "$AUTHORIZATION" -H "$JSON" \
  -d '{"task": "Refund order 78"}' | jq -r '.[0].retrieval_id')
```
"#;

/// The example of a route, if it has one.
pub(super) fn example(method: &str, path: &str, operation: &Value) -> Option<String> {
    let (address, needs_key) = match path.strip_prefix(PROJECT) {
        Some(rest) => {
            OF_PROJECT.iter().find(|known| **known == (method, rest))?;
            (format!("$PROJECT{}", with_variables(rest)), true)
        }
        None => {
            OF_SERVER.iter().find(|known| **known == path && method == "get")?;
            (format!("$REFLECT_BASE_URL{path}"), false)
        }
    };
    let mut command = "curl -sS --fail-with-body".to_owned();
    if !matches!(method, "get" | "post") {
        command.push_str(&format!(" -X {}", method.to_uppercase()));
    }
    command.push_str(&format!(" \"{address}\""));
    if needs_key {
        command.push_str(" -H \"$AUTHORIZATION\"");
    }
    if method != "get" {
        let body = &operation["requestBody"]["content"]["application/json"]["example"];
        let body = if body.is_null() { "{}".to_owned() } else { body.to_string() };
        command.push_str(&format!(" -H \"$JSON\" \\\n  -d '{}'", with_ids(&body)));
    }
    Some(format!("\n```sh\n{command}\n```\n"))
}

/// `{trace_id}` as `$TRACE_ID`.
fn with_variables(path: &str) -> String {
    let parts =
        path.split('/').map(|part| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => format!("${}", name.to_uppercase()),
            None => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("/")
}

/// The body with variables instead of ids, inside single quotes.
fn with_ids(body: &str) -> String {
    let body = body.replace('\'', "'\\''");
    IDS.iter().fold(body, |body, (id, name)| body.replace(id, &format!("'${name}'")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_example_has_the_body_of_the_description_with_real_ids() {
        let body = json!({ "reviews": [{ "trace_id": IDS[0].0, "result": "pass" }] });
        let operation = json!({ "requestBody": { "content": { "application/json": { "example": body } } } });

        let curl = example("post", "/v1/projects/{project_id}/reviews/batch", &operation).unwrap();

        assert!(curl.contains("\"$PROJECT/reviews/batch\""), "{curl}");
        assert!(curl.contains(r#""trace_id":"'$OTHER_TRACE_ID'""#), "{curl}");
        let read = example("get", "/v1/projects/{project_id}/traces/{trace_id}", &json!({})).unwrap();
        assert!(read.contains("\"$PROJECT/traces/$TRACE_ID\" -H") && !read.contains("-d"), "{read}");
        assert_eq!(example("delete", "/v1/projects/{project_id}", &json!({})), None);
    }
}

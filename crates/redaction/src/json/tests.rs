//! Tests of JSON redaction.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{Policy, TagKey};

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn redacted(text: &str) -> String {
    let redactor = Redactor::new(Policy { personal: true, ..Policy::default() }, TagKey::new([1; 32]));
    redactor.json(text, &mut Findings::default()).into_owned()
}

#[test]
fn values_are_redacted_and_all_other_bytes_stay() {
    let sent = format!(r#"[ {{"role": "user","n": 1.10, "b":2,"content":"use {TOKEN} now"}}, null ]"#);
    let redacted = redacted(&sent);
    let (before, after) = sent.split_once(TOKEN).unwrap();
    assert!(redacted.starts_with(before) && redacted.ends_with(after), "{redacted}");
    assert!(redacted.contains("[secret:github-token#"));
}

#[test]
fn escaped_secrets_are_found() {
    let escaped: String = TOKEN.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect();
    for text in [
        format!(r#"["{escaped}"]"#),
        format!(r#"["gh\u0070_{}"]"#, &TOKEN[4..]),
        format!(r#"["line\n{TOKEN}\n"]"#),
        format!(r#"["half \ud800 {TOKEN}"]"#),
        r#"["postgres:\/\/app:s3cr3t-pw\/@db\/x", "postgres:\/\/app:Tr33house@db\/x"]"#.to_owned(),
    ] {
        let redacted = redacted(&text);
        assert!(redacted.contains("[secret:"), "{text} {redacted}");
        let values: Value = serde_json::from_str(&redacted).unwrap();
        assert!(
            !values.to_string().contains(TOKEN) && !values.to_string().contains("Tr33house"),
            "{redacted}"
        );
    }
}

#[test]
fn nested_json_strings_are_redacted_and_stay_json() {
    let innermost =
        json!({ "env": format!("A=1\n{TOKEN}\nmail\nbob@example.org"), "password": "correct1horse" })
            .to_string();
    let call = json!({ "name": "run", "arguments": innermost }).to_string();
    let trajectory = json!([{ "role": "assistant", "content": call }]).to_string();
    let redacted = redacted(&trajectory);
    for secret in [TOKEN, "bob@example.org", "correct1horse"] {
        assert!(!redacted.contains(secret), "{redacted}");
    }
    let outer: Value = serde_json::from_str(&redacted).unwrap();
    let call: Value = serde_json::from_str(outer[0]["content"].as_str().unwrap()).unwrap();
    let innermost: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
    assert!(innermost["env"].as_str().unwrap().contains("\nmail\n[pii:email#"), "{innermost}");
}

#[test]
fn field_names_mark_secrets() {
    let redacted = redacted(
        r#"{"password":"hunter2","headers":{"Authorization":"Basic dXNlcjpwYXNz"},"passwords":["abc123"],"max_tokens":"1500"}"#,
    );
    let values: Value = serde_json::from_str(&redacted).unwrap();
    assert!(values["password"].as_str().unwrap().starts_with("[secret:named-secret#"));
    assert!(values["headers"]["Authorization"].as_str().unwrap().starts_with("Basic [secret:authorization#"));
    assert!(values["passwords"][0].as_str().unwrap().starts_with("[secret:named-secret#"));
    assert_eq!(values["max_tokens"], "1500");
}

#[test]
fn field_names_stay() {
    let text = format!(r#"{{"{TOKEN}":1}}"#);
    assert_eq!(redacted(&text), text);
}

fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,40}",
        Just(TOKEN.to_owned()),
        Just(format!("x\n\"{TOKEN}\"\\")),
        Just("mail bob@example.org, +49 30 901820".to_owned()),
        Just(r#"{"password":"abc123!","n":[1,"\u0041"]}"#.to_owned()),
    ];
    let leaf = prop_oneof![text.prop_map(Value::from), any::<i64>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{0,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn shape(value: &Value) -> Value {
    match value {
        Value::String(_) => Value::from("text"),
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect(),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn redacted_json_keeps_its_shape(value in any_json()) {
        let redacted: Value = serde_json::from_str(&redacted(&value.to_string())).unwrap();
        prop_assert_eq!(shape(&redacted), shape(&value));
        prop_assert!(!redacted.to_string().contains("bob@example.org"));
    }

    #[test]
    fn redaction_is_idempotent(value in any_json()) {
        let once = redacted(&value.to_string());
        prop_assert_eq!(redacted(&once), once);
    }

    #[test]
    fn invalid_json_does_not_panic(text in "\\PC*[\"\\\\{}\\[\\],]{0,6}\\PC*") {
        redacted(&text);
    }
}

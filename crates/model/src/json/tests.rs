//! Tests with typical and hostile output of models.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn summary(text: &str) -> Option<String> {
    let object = find_object(text, &["summary", "suggestions"])?;
    Some(object.get("summary")?.as_str()?.to_owned())
}

#[test]
fn braces_inside_strings_are_text() {
    assert_eq!(summary(r#"{"summary": "close } here"}"#).unwrap(), "close } here");
    assert_eq!(summary(r#"{"summary": "open { here"}"#).unwrap(), "open { here");
    assert_eq!(summary(r#"{"summary": "a quote \" and {\"x\": 1}"}"#).unwrap(), r#"a quote " and {"x": 1}"#);
}

#[test]
fn code_fences_and_sentences_are_skipped() {
    assert_eq!(summary("```json\n{\"summary\": \"fenced\"}\n```").unwrap(), "fenced");
    assert_eq!(summary("Of course! {\"summary\": \"polite\"} Anything else?").unwrap(), "polite");
    assert_eq!(summary("{not json} {{x}} { code(); } {\"summary\": \"last\"}").unwrap(), "last");
    assert_eq!(summary("[{\"summary\": \"in a list\"}]").unwrap(), "in a list");
}

#[test]
fn an_object_inside_broken_text_is_found() {
    assert_eq!(summary(r#"{broken {"summary": "inner"} }"#).unwrap(), "inner");
    assert_eq!(summary(r#"{"outer": {"summary": "inner"}, "cut"#).unwrap(), "inner");
}

#[test]
fn the_object_with_the_expected_keys_is_returned() {
    assert_eq!(summary(r#"{} {"summary": "real"}"#).unwrap(), "real");
    assert_eq!(summary(r#"{"a": 1} {"summary": "second"} {"b": 2}"#).unwrap(), "second");
    assert_eq!(summary(r#"{"summary": "draft"} {"summary": "full", "suggestions": []}"#).unwrap(), "full");
    assert_eq!(summary(r#"{"summary": "first"} {"summary": "second"}"#).unwrap(), "first");
}

#[test]
fn a_wrapped_object_is_returned() {
    assert_eq!(summary(r#"{"reflection": {"summary": "wrapped"}}"#).unwrap(), "wrapped");
    assert_eq!(summary(r#"{"a": [{"b": {"summary": "deep"}}]}"#).unwrap(), "deep");
    assert_eq!(summary(r#"{"a":{"b":{"c":{"d":{"summary":"too deep"}}}}}"#), None);
}

#[test]
fn text_after_the_reasoning_is_preferred() {
    assert_eq!(summary(r#"<think>{plan}</think>{"summary": "real"}"#).unwrap(), "real");
    assert_eq!(
        summary(r#"<think>{"summary": "draft", "suggestions": []}</think>{"summary": "real"}"#).unwrap(),
        "real"
    );
    assert_eq!(summary(r#"<think>{"summary": "only here"}</think> Done."#).unwrap(), "only here");
}

#[test]
fn without_expected_keys_the_first_nonempty_object_is_returned() {
    assert_eq!(find_object(r#"{"a": 1} {"b": 2}"#, &[]).unwrap()["a"], 1);
    assert!(find_object("{}", &[]).unwrap().is_empty());
    assert!(find_object("{}", &["summary"]).unwrap().is_empty());
}

#[test]
fn a_text_without_a_complete_object_returns_none() {
    for text in ["", "no json", "{", "}{", r#"{"summary": "cut"#, r#"{"summary": "cut","#, "{'summary': 'x'}"]
    {
        assert!(find_object(text, &["summary"]).is_none(), "{text}");
    }
}

#[test]
fn an_answer_after_megabytes_of_text_is_found() {
    let talk = "word ".repeat(600_000);
    assert_eq!(summary(&format!("{talk}{{\"summary\": \"at last\"}}")).unwrap(), "at last");
    // Truncation inside a character must not panic.
    assert_eq!(summary(&format!("{}{{\"summary\":\"é\"}}", "é".repeat(MAX_TEXT))).unwrap(), "é");
}

#[test]
fn an_answer_after_a_thousand_valid_objects_is_found() {
    let drafts = r#"{"step": 1, "note": "tried it"} if (x) { return {y}; } "#.repeat(1_000);
    assert_eq!(summary(&format!("{drafts}{{\"summary\": \"the end\"}}")).unwrap(), "the end");
}

#[test]
fn a_megabyte_of_braces_costs_less_than_fifty_milliseconds() {
    let deep = format!("{}{}", r#"{"a":"#.repeat(120_000), "}".repeat(400_000));
    let hostile = [
        "{".repeat(1 << 20),
        r#"{"a":"#.repeat((1 << 20) / 5),
        r#"{"a":1,"#.repeat((1 << 20) / 7),
        "{ ".repeat(1 << 19),
        "{\"a\":\n".repeat((1 << 20) / 6),
        deep,
    ];
    for text in hostile {
        let costs = (0..3).map(|_| {
            let before = time_used();
            assert!(find_object(&text, &["summary"]).is_none());
            time_used() - before
        });
        let least = costs.min().unwrap();
        assert!(least < Duration::from_millis(50), "{}…: {least:?}", &text[..8]);
    }
}

/// CPU time of this thread, so that a busy machine does not affect the test. Wall-clock time where CPU time is not
/// available.
fn time_used() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = used.and_then(|text| text.split(' ').next()?.parse().ok());
    used.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Text without a quoted key, so that the object is the only match.
fn noise() -> impl Strategy<Value = String> {
    "[^\"]{0,60}".prop_filter("no end of a thought", |text| !text.contains("</"))
}

proptest! {
    #[test]
    fn no_text_panics(text in r#"([{}\[\]":,\\a1é ]|</think>){0,80}"#) {
        let _ = find_object(&text, &["a"]);
        let _ = find_object(&text, &[]);
    }

    #[test]
    fn an_object_inside_any_text_is_found(before in noise(), said in ".{0,40}", after in ".{0,60}") {
        let object = json!({ "summary": said, "suggestions": [said] });
        let text = format!("{before}{object}{after}");
        prop_assert_eq!(find_object(&text, &["summary", "suggestions"]).map(Value::Object), Some(object));
    }
}

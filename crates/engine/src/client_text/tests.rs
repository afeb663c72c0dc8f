//! What a project's settings do to what it is sent.

use serde_json::json;

use super::*;

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn redactor(pii: PiiMode) -> ProjectRedactor {
    let policy = Policy { personal: pii != PiiMode::Off, ..Policy::default() };
    let redactor = Redactor::new(policy, TagKey::new([3; 32]));
    ProjectRedactor { redactor, pii, findings: Findings::default() }
}

#[test]
fn personal_data_is_taken_masked_or_refused_as_the_project_says() {
    let text = || format!("{TOKEN} of bob@example.org");
    let off = redactor(PiiMode::Off).text("task", text()).unwrap();
    assert!(off.ends_with(" of bob@example.org") && !off.contains(TOKEN), "{off}");
    let masked = redactor(PiiMode::Mask).text("task", text()).unwrap();
    assert!(masked.contains("[pii:email#"), "{masked}");
    let refused = redactor(PiiMode::Block).text("task", text()).unwrap_err().to_string();
    assert_eq!(refused, "task holds personal data (email), which this project does not accept");
}

#[test]
fn subjects_are_told_apart_by_more_than_a_short_tag() {
    let mut redactor = redactor(PiiMode::Mask);
    let sent = json!({ "subject": "bob@example.org", "mail": "bob@example.org" });
    let Value::Object(sent) = sent else { unreachable!() };
    let fields = redactor.fields("metadata", sent).unwrap();
    let long = fields["subject"].as_str().unwrap();
    assert_eq!(long.len(), "[pii:email#]".len() + 32, "{long}");
    assert_eq!(fields["mail"].as_str().unwrap().len(), "[pii:email#]".len() + 4);
    assert_eq!(redactor.subject("subject", "bob@example.org".to_owned()).unwrap(), long);
    assert_eq!(redactor.finish(), 3);
}

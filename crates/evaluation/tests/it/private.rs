//! Private data of an evaluator stays private.

use reflect_evaluation::*;
use serde_json::json;

#[tokio::test]
async fn a_known_answer_is_neither_written_down_nor_printed_nor_in_the_feedback() {
    let evaluator = ExactMatch::new(["the gold answer"]);

    let evaluation = evaluator.evaluate(&Task::from("t"), &Attempt::from("wrong")).await.unwrap();

    let written = serde_json::to_string(&evaluation).unwrap();
    let printed = format!("{evaluation:?} {evaluator:?}");
    assert!(!written.contains("gold") && !printed.contains("gold"), "{written} {printed}");
    assert_eq!(evaluation.private.reveal(), Some(&json!(["the gold answer"])));
}

#[tokio::test]
async fn private_details_in_json_are_not_read_back() {
    let mut written = serde_json::to_value(Evaluation::pass()).unwrap();
    written["private"] = json!("planted");

    let read: Evaluation = serde_json::from_value(written).unwrap();

    assert_eq!(read.private.reveal(), None);
}

#[test]
fn what_a_program_or_a_person_says_leaves_alpha_to_the_server() {
    let alpha = |by| Evaluation::fail().evaluated_by(by).alpha().map(|alpha| alpha.get());

    assert_eq!(alpha(EvaluatedBy::Check), None);
    assert_eq!(alpha(EvaluatedBy::Person), None);
    assert_eq!(alpha(EvaluatedBy::Judge), Some(JUDGE_ALPHA));
}

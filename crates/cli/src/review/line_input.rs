//! Parses input of the line mode: a word with optional feedback, or a JSON object.

use reflect_types::{ReviewResult, TraceId};
use serde::Deserialize;

use super::submission::Submission;

/// How long a run is deferred by default.
const DEFAULT_DEFERRAL: u64 = 24 * 3600;

/// A line of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineInput {
    /// A submission about the named run, or else about the shown run.
    Submit(Option<TraceId>, Submission),
    Skip,
    Undo,
    Quit,
}

/// Parses a word such as `y`, with feedback after it: `n the order cost 24`.
pub(crate) fn parse_words(line: &str) -> Option<LineInput> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let words = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    let review =
        |result, feedback| LineInput::Submit(None, Submission::Review { result, feedback, replace: false });
    match word.trim_end_matches(':').to_lowercase().as_str() {
        "y" | "yes" | "p" | "pass" => Some(review(ReviewResult::Pass, words)),
        "n" | "no" | "f" | "fail" => Some(review(ReviewResult::Fail, words)),
        "d" | "defer" => {
            Some(LineInput::Submit(None, Submission::Defer { seconds: DEFAULT_DEFERRAL, note: words }))
        }
        "s" | "skip" => Some(LineInput::Skip),
        "u" | "undo" => Some(LineInput::Undo),
        "q" | "quit" => Some(LineInput::Quit),
        _ => None,
    }
}

/// A JSON line.
#[derive(Debug, Deserialize)]
struct JsonLine {
    trace_id: Option<TraceId>,
    result: String,
    #[serde(alias = "feedback_text")]
    feedback: Option<String>,
    /// The duration of `defer`.
    defer: Option<String>,
    #[serde(default)]
    replace: bool,
}

/// Parses a line such as `{"result":"fail","feedback":"the order cost 24"}`.
pub(crate) fn parse_json(line: &str) -> Result<LineInput, String> {
    let line: JsonLine = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let seconds = line.defer.as_deref().map(parse_duration).transpose()?;
    let submission = match line.result.as_str() {
        "defer" => Submission::Defer { seconds: seconds.unwrap_or(DEFAULT_DEFERRAL), note: line.feedback },
        "skip" => return Ok(LineInput::Skip),
        "undo" => return Ok(LineInput::Undo),
        "quit" => return Ok(LineInput::Quit),
        other => {
            let result = parse_result(other).ok_or_else(|| {
                format!("result must be pass, fail, defer, skip, undo or quit, not {other:?}")
            })?;
            Submission::Review { result, feedback: line.feedback, replace: line.replace }
        }
    };
    Ok(LineInput::Submit(line.trace_id, submission))
}

/// Parses a verdict.
pub(crate) fn parse_result(word: &str) -> Option<ReviewResult> {
    match word.trim().to_lowercase().as_str() {
        "pass" | "success" | "passed" => Some(ReviewResult::Pass),
        "fail" | "failure" | "failed" => Some(ReviewResult::Fail),
        _ => None,
    }
}

/// Parses a duration such as `30m`, `1d` or `2w` into seconds.
pub(crate) fn parse_duration(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a duration; use a number and a unit, such as 30m, 1h, 1d or 2w");
    let end = text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(wrong)?;
    let (number, unit) = text.split_at(end);
    let unit = match unit.trim() {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 24 * 3600,
        "w" => 7 * 24 * 3600,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).filter(|seconds| *seconds > 0).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(feedback: &str) -> Submission {
        Submission::Review { result: ReviewResult::Fail, feedback: Some(feedback.to_owned()), replace: false }
    }

    #[test]
    fn words_take_feedback_after_them() {
        assert_eq!(
            parse_words("n the order cost 24\n"),
            Some(LineInput::Submit(None, fail("the order cost 24")))
        );
        assert_eq!(parse_words(" Y "), parse_words("pass"));
        assert_eq!(
            parse_words("d"),
            Some(LineInput::Submit(None, Submission::Defer { seconds: 86_400, note: None }))
        );
        assert_eq!(
            (parse_words("u"), parse_words("q"), parse_words("what?")),
            (Some(LineInput::Undo), Some(LineInput::Quit), None)
        );
    }

    #[test]
    fn json_lines_name_their_run_or_mean_the_shown_one() {
        let id = TraceId::generate();
        let named = parse_json(&format!(r#"{{"trace_id":"{id}","result":"failure","feedback_text":"x"}}"#));
        assert_eq!(named, Ok(LineInput::Submit(Some(id), fail("x"))));
        let deferred = parse_json(r#"{"result":"defer","defer":"2h"}"#);
        assert_eq!(deferred, Ok(LineInput::Submit(None, Submission::Defer { seconds: 7200, note: None })));
        assert!(parse_json(r#"{"result":"maybe"}"#).unwrap_err().contains("pass, fail"));
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!((parse_duration("1d"), parse_duration("90s")), (Ok(86_400), Ok(90)));
        for wrong in ["", "5", "d", "0h", "1y", "-1d", "99999999999999999999w"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}

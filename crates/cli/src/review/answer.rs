//! What somebody answers who is asked line by line: a word of the plain prompt, or a line of JSON.

use reflect_types::{ReviewResult, TraceId};
use serde::Deserialize;

use super::mail::Mail;

/// How long a trace is put off when nobody says.
const USUAL_DEFERRAL: u64 = 24 * 3600;

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// About the run that was shown, or about the one that is named.
    Say(Option<TraceId>, Mail),
    Skip,
    Undo,
    Quit,
}

/// Reads a word such as `y`, with feedback behind it: `n the order cost 24`.
pub(crate) fn by_word(line: &str) -> Option<Answer> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let words = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
    let review = |result, feedback| Answer::Say(None, Mail::Review { result, feedback, replace: false });
    match word.trim_end_matches(':').to_lowercase().as_str() {
        "y" | "yes" | "p" | "pass" => Some(review(ReviewResult::Pass, words)),
        "n" | "no" | "f" | "fail" => Some(review(ReviewResult::Fail, words)),
        "d" | "defer" => Some(Answer::Say(None, Mail::Defer { seconds: USUAL_DEFERRAL, note: words })),
        "s" | "skip" => Some(Answer::Skip),
        "u" | "undo" => Some(Answer::Undo),
        "q" | "quit" => Some(Answer::Quit),
        _ => None,
    }
}

/// A verdict as programs write it.
#[derive(Debug, Deserialize)]
struct Line {
    trace_id: Option<TraceId>,
    result: String,
    #[serde(alias = "feedback_text")]
    feedback: Option<String>,
    /// How long, for `defer`.
    defer: Option<String>,
    #[serde(default)]
    replace: bool,
}

/// Reads a line such as `{"result":"fail","feedback":"the order cost 24"}`.
pub(crate) fn by_json(line: &str) -> Result<Answer, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let seconds = line.defer.as_deref().map(duration).transpose()?;
    let mail = match line.result.as_str() {
        "defer" => Mail::Defer { seconds: seconds.unwrap_or(USUAL_DEFERRAL), note: line.feedback },
        "skip" => return Ok(Answer::Skip),
        "undo" => return Ok(Answer::Undo),
        "quit" => return Ok(Answer::Quit),
        other => {
            let result = result(other)
                .ok_or_else(|| format!("result is pass, fail, defer, skip, undo or quit, not {other:?}"))?;
            Mail::Review { result, feedback: line.feedback, replace: line.replace }
        }
    };
    Ok(Answer::Say(line.trace_id, mail))
}

/// A verdict by its word.
pub(crate) fn result(word: &str) -> Option<ReviewResult> {
    match word.trim().to_lowercase().as_str() {
        "pass" | "success" | "passed" => Some(ReviewResult::Pass),
        "fail" | "failure" | "failed" => Some(ReviewResult::Fail),
        _ => None,
    }
}

/// A time such as `30m`, `1d` or `2w`, in seconds.
pub(crate) fn duration(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is no time; it looks like 30m, 1h, 1d or 2w");
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

    fn fail(feedback: &str) -> Mail {
        Mail::Review { result: ReviewResult::Fail, feedback: Some(feedback.to_owned()), replace: false }
    }

    #[test]
    fn words_of_the_prompt_take_feedback_behind_them() {
        assert_eq!(by_word("n the order cost 24\n"), Some(Answer::Say(None, fail("the order cost 24"))));
        assert_eq!(by_word(" Y "), by_word("pass"));
        assert_eq!(by_word("d"), Some(Answer::Say(None, Mail::Defer { seconds: 86_400, note: None })));
        assert_eq!(
            (by_word("u"), by_word("q"), by_word("what?")),
            (Some(Answer::Undo), Some(Answer::Quit), None)
        );
    }

    #[test]
    fn lines_of_json_name_their_run_or_mean_the_one_that_was_shown() {
        let id = TraceId::generate();
        let named = by_json(&format!(r#"{{"trace_id":"{id}","result":"failure","feedback_text":"x"}}"#));
        assert_eq!(named, Ok(Answer::Say(Some(id), fail("x"))));
        let deferred = by_json(r#"{"result":"defer","defer":"2h"}"#);
        assert_eq!(deferred, Ok(Answer::Say(None, Mail::Defer { seconds: 7200, note: None })));
        assert!(by_json(r#"{"result":"maybe"}"#).unwrap_err().contains("pass, fail"));
    }

    #[test]
    fn times_have_a_unit() {
        assert_eq!((duration("1d"), duration("90s")), (Ok(86_400), Ok(90)));
        for wrong in ["", "5", "d", "0h", "1y", "-1d", "99999999999999999999w"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}

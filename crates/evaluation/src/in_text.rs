//! Parses a verdict from text, if the answer of a judge is not valid JSON.
//!
//! It recognises only unambiguous verdicts and never searches inside a sentence: "the agent did not successfully finish"
//! contains the word "success", but is not a pass.

use crate::verdict::Verdict;

/// The end of the reasoning part. The answer follows.
const ENDS_OF_THOUGHT: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];
/// After "Pass:" these words negate the verdict.
const NEGATIONS: [&str; 8] = ["no", "not", "none", "never", "false", "nope", "0", "n"];
/// After "Failure:" these words show that "Failure" is the name of a field and not a verdict.
const FIELD_VALUES: [&str; 9] = ["no", "none", "never", "false", "yes", "true", "0", "1", "n"];

impl Verdict {
    /// The explicit verdict of a text, or [`Verdict::Unclear`].
    ///
    /// Two forms are recognised: a verdict word at the start of the text, and a line `Verdict: word`. The end of the line,
    /// a full stop, a colon, an exclamation mark or a dash must follow the word. If a text has two different verdicts, the
    /// result is unclear.
    ///
    /// ```
    /// use reflect_evaluation::Verdict;
    ///
    /// assert_eq!(Verdict::in_text("FAILURE: the agent did not successfully finish"), Verdict::Fail);
    /// assert_eq!(Verdict::in_text("It took a while.\n**Verdict:** pass"), Verdict::Pass);
    /// assert_eq!(Verdict::in_text("unsuccessful"), Verdict::Unclear);
    /// assert_eq!(Verdict::in_text("That is not a pass."), Verdict::Unclear);
    /// ```
    pub fn in_text(text: &str) -> Self {
        let answer = ENDS_OF_THOUGHT.iter().filter_map(|end| Some(text.rfind(end)? + end.len())).max();
        let answer = &text[answer.unwrap_or(0)..];
        let lines: Vec<String> = answer.lines().map(bare).filter(|line| !line.is_empty()).collect();

        // A `Verdict:` line with an unknown word makes the result unclear, because it may be the final verdict.
        let mut said: Vec<Self> = lines
            .iter()
            .filter_map(|line| announced(line))
            .map(|rest| leading(rest).unwrap_or(Self::Unclear))
            .collect();
        said.extend(lines.first().and_then(|line| leading(line)));
        match said.as_slice() {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => *first,
            _ => Self::Unclear,
        }
    }
}

/// A line without Markdown markup and quotation marks.
fn bare(line: &str) -> String {
    let marks = |c: char| matches!(c, '*' | '_' | '`' | '#' | '>' | '"' | '\'' | '“' | '”');
    line.replace(marks, "").trim().to_owned()
}

/// The text after `Verdict:`.
fn announced(line: &str) -> Option<&str> {
    let (title, rest) = line.split_once(':')?;
    title.trim().eq_ignore_ascii_case("verdict").then(|| rest.trim())
}

/// The verdict word at the start of a line, if punctuation or the end of the line follows.
fn leading(line: &str) -> Option<Verdict> {
    let end = line.find(|c: char| !c.is_alphanumeric()).unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    let verdict: Verdict = word.parse().ok()?;
    let after = rest.trim_start();
    if after.is_empty() {
        return Some(verdict);
    }
    let dash = ['-', '–', '—'];
    // `pass-through` is a word; `pass - well done` is a verdict.
    let alone =
        rest.starts_with(['.', ':', '!', '–', '—']) || (rest.len() > after.len() && after.starts_with(dash));
    let reason = after.trim_start_matches(['.', ':', '!', '-', '–', '—']).trim();
    (alone && !is_turned_round(verdict, reason)).then_some(verdict)
}

/// Whether the text after the word negates it, as in `Success: false`.
fn is_turned_round(verdict: Verdict, reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase();
    let mut words = reason.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    match verdict {
        Verdict::Pass => NEGATIONS.contains(&first),
        Verdict::Fail | Verdict::Unclear => FIELD_VALUES.contains(&first) && words.next().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_leading_word_or_a_line_of_its_own_is_a_verdict() {
        let passes = [
            "SUCCESS",
            "pass",
            "Passed.",
            "**PASS**",
            "SUCCESS: the file was written",
            "Pass — nothing is missing",
            "Verdict: pass",
            "It looks fine to me.\n\n**Verdict:** PASS.",
            "<think>FAILURE: or is it?</think>\nSuccess!",
        ];
        for text in passes {
            assert_eq!(Verdict::in_text(text), Verdict::Pass, "{text}");
        }
        let fails = [
            "FAILURE",
            "Fail.",
            "FAILURE: not successfully finished",
            "FAILURE: the agent did not successfully complete the task",
            "failed - SUCCESS was claimed without a test",
            "failure: no test was run",
            "Verdict: FAILURE\nIt would have been a success otherwise.",
        ];
        for text in fails {
            assert_eq!(Verdict::in_text(text), Verdict::Fail, "{text}");
        }
    }

    #[test]
    fn phrases_that_only_hold_the_word_are_unclear() {
        let phrases = [
            "",
            "unsuccessful",
            "Unsuccessful: two tests broke",
            "not a pass",
            "That was not a SUCCESS.",
            "The agent did not successfully complete the task",
            "No success",
            "Success would need one more test",
            "Pass or fail? Hard to say.",
            "PASS/FAIL",
            "pass-through of the header is missing",
            "Success: false",
            "Pass: no, because the sum is wrong",
            "PASS: not at all",
            "Failure: none",
            "failures: 0",
            "Passing",
            "Verdict: not a pass",
            "Verdict: PASS or FAIL",
            "Verdict:",
            "Verdict: partially passed",
            "Verdict: pass\nVerdict: fail",
            "PASS.\nVerdict: FAIL",
            "My verdict is that it passed",
            "Did it pass? Yes.",
            "Pass, if one leaves out the second half",
            "{\"success\": true}",
        ];
        for text in phrases {
            assert_eq!(Verdict::in_text(text), Verdict::Unclear, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".*") {
            let _ = Verdict::in_text(&text);
        }

        #[test]
        fn a_word_inside_a_sentence_is_never_a_verdict(before in "[a-z]{1,8}", after in "[a-z ]{0,20}") {
            prop_assume!(before.parse::<Verdict>().is_err() && before != "verdict");
            for word in ["SUCCESS", "pass", "failed"] {
                let text = format!("{before} {word} {after}");
                prop_assert_eq!(Verdict::in_text(&text), Verdict::Unclear);
            }
        }
    }
}

//! Feedback and comments in a line of a pack are plain text, because a pack must be readable without Reflect and without its
//! keys.

use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::error::StoreError;
use crate::sealing::{SealedColumn, Sealer};

/// What is read of a line.
#[derive(Deserialize)]
struct Fields {
    review_id: Option<Uuid>,
    signal_id: Option<Uuid>,
    trace_id: Option<Uuid>,
    feedback: Option<String>,
    comment: Option<String>,
}

/// The column of a table whose lines contain feedback.
pub(super) fn column(table: &str) -> Option<SealedColumn> {
    match table {
        "review" => Some(SealedColumn::ReviewFeedback),
        "judgement" => Some(SealedColumn::JudgementFeedback),
        "signal" => Some(SealedColumn::SignalComment),
        _ => None,
    }
}

/// The name of the field in a line.
const fn name(column: SealedColumn) -> &'static str {
    match column {
        SealedColumn::SignalComment => "comment",
        SealedColumn::TraceBody
        | SealedColumn::ReviewFeedback
        | SealedColumn::JudgementFeedback
        | SealedColumn::OtlpPart
        | SealedColumn::WebhookSecret => "feedback",
    }
}

impl Fields {
    fn row(&self, column: SealedColumn) -> Uuid {
        let row = match column {
            SealedColumn::ReviewFeedback => self.review_id,
            SealedColumn::SignalComment => self.signal_id,
            SealedColumn::TraceBody
            | SealedColumn::JudgementFeedback
            | SealedColumn::OtlpPart
            | SealedColumn::WebhookSecret => self.trace_id,
        };
        row.unwrap_or_default()
    }

    fn text(self, column: SealedColumn) -> Option<String> {
        if column == SealedColumn::SignalComment { self.comment } else { self.feedback }
    }
}

/// The line with the feedback as plain text. Everything else keeps its form, because the digest of a pack covers it.
pub(super) fn readable(sealer: &Sealer, column: SealedColumn, line: String) -> Result<String, StoreError> {
    let fields: Fields = serde_json::from_str(&line).map_err(corrupt)?;
    let row = fields.row(column);
    let Some(stored) = fields.text(column) else { return Ok(line) };
    let old = field(column, &stored)?;
    let plain = sealer.open_text(column.of(row), stored.clone())?;
    if plain == stored {
        return Ok(line);
    }
    // The last one: keys are in order, and a lesson that was sent with the review is before it.
    let at = line.rfind(&old).ok_or_else(|| corrupt(()))?;
    Ok(format!("{}{}{}", &line[..at], field(column, &plain)?, &line[at + old.len()..]))
}

/// The line with the feedback as it is stored.
pub(super) fn stored(sealer: &Sealer, column: SealedColumn, line: &str) -> Result<String, StoreError> {
    let fields: Fields = serde_json::from_str(line).map_err(corrupt)?;
    let row = fields.row(column);
    let Some(plain) = fields.text(column) else { return Ok(line.to_owned()) };
    let text = sealer.seal_text(column.of(row), &plain)?;
    if text == plain {
        return Ok(line.to_owned());
    }
    // An array could hold the same fields, and is no line.
    let mut whole: Map<String, Value> = serde_json::from_str(line).map_err(corrupt)?;
    whole.insert(name(column).to_owned(), Value::String(text.into_owned()));
    Ok(Value::Object(whole).to_string())
}

/// As Postgres prints it.
fn field(column: SealedColumn, text: &str) -> Result<String, StoreError> {
    Ok(format!("\"{}\": {}", name(column), serde_json::to_string(text).map_err(corrupt)?))
}

fn corrupt<E>(_: E) -> StoreError {
    StoreError::Corrupt { what: "feedback" }
}

#[cfg(test)]
mod tests {
    use reflect_types::ProjectId;

    use super::*;

    #[test]
    fn encrypted_feedback_leaves_and_enters_as_plain_text() {
        let column = SealedColumn::ReviewFeedback;
        let sealer = Sealer::new(ProjectId::new(1), &[1; 32]).unwrap();
        for text in ["missed \"it\"\n", "reflect-sealed-0:x"] {
            let quoted = serde_json::to_string(text).unwrap();
            let line = format!(
                r#"{{"alpha": 0.3, "authored": {{"feedback": {quoted}}}, "feedback": {quoted}, "trace_id": "{0}", "review_id": "{0}"}}"#,
                Uuid::from_u128(9)
            );
            let kept = stored(&sealer, column, &line).unwrap();
            let sealed: Fields = serde_json::from_str(&kept).unwrap();
            assert_ne!(sealed.feedback.as_deref(), Some(text));
            // As Postgres prints it.
            let sealed = serde_json::to_string(&sealed.feedback).unwrap();
            let at = line.rfind(&quoted).unwrap();
            let printed = format!("{}{sealed}{}", &line[..at], &line[at + quoted.len()..]);
            assert_eq!(readable(&sealer, column, printed).unwrap(), line);
        }
    }

    #[test]
    fn an_array_is_no_line() {
        let sealer = Sealer::new(ProjectId::new(1), &[1; 32]).unwrap();
        let line = r#"[null, null, null, "feedback", "comment"]"#;
        assert!(stored(&sealer, SealedColumn::ReviewFeedback, line).is_err());
    }

    #[test]
    fn plain_lines_stay_as_they_are() {
        let off = Sealer::off(ProjectId::new(1));
        let line = format!(r#"{{"feedback": "plain", "trace_id": "{}"}}"#, Uuid::nil());
        assert_eq!(stored(&off, SealedColumn::JudgementFeedback, &line).unwrap(), line);
        assert_eq!(readable(&off, SealedColumn::JudgementFeedback, line.clone()).unwrap(), line);
    }
}

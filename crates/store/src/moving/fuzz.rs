//! Fuzz target: lines of a pack with trajectories and feedback.

use reflect_fuzz::{CaseSource, FuzzTarget};
use reflect_types::ProjectId;
use serde_json::Value;
use uuid::Uuid;

use super::{body_line, feedback_line};
use crate::sealing::{SealedColumn, Sealer};

const WORDS: &[&str] = &[
    "trace_id",
    "review_id",
    "compressed",
    "trajectory",
    "body",
    "feedback",
    "authored",
    "\\\\x",
    "28b52ffd",
    "reflect-sealed-1:",
    "reflect-sealed-0:",
    "reflect-sealed-",
    "true",
    "[]",
    "\"feedback\": ",
];

#[test]
fn a_line_is_stored_and_read_as_it_was_written() {
    FuzzTarget::new("pack-lines").words(WORDS).run(line, |input| {
        let Ok(line) = str::from_utf8(input) else { return };
        let off = Sealer::off(ProjectId::new(1));
        let on = Sealer::new(ProjectId::new(1), &[1; 32]).expect("a key");
        for sealer in [&off, &on] {
            let _ = body_line::readable(sealer, line);
            if let Ok(stored) = body_line::stored(sealer, line) {
                let shown = body_line::readable(sealer, &stored).expect("what is stored can be read");
                assert!(!shown.contains('\n'));
                let (shown, sent) = (value(&shown), value(line));
                // A field that is ignored may have half a surrogate pair, which this type cannot hold.
                if sent.is_object() {
                    assert_eq!(shown["trajectory"], sent["trajectory"]);
                    assert_eq!(shown["compressed"], sent["compressed"]);
                    assert_eq!(id(&shown["trace_id"]), id(&sent["trace_id"]));
                }
            }
            for column in [SealedColumn::ReviewFeedback, SealedColumn::JudgementFeedback] {
                let _ = feedback_line::readable(sealer, column, line.to_owned());
                let Ok(stored) = feedback_line::stored(sealer, column, line) else { continue };
                let (sent, kept) = (value(line), value(&stored));
                let Some(feedback) = sent["feedback"].as_str() else { continue };
                let row = if column == SealedColumn::ReviewFeedback {
                    &sent["review_id"]
                } else {
                    &sent["trace_id"]
                };
                let kept = kept["feedback"].as_str().expect("a text").to_owned();
                let opened = sealer.open_text(column.of(id(row)), kept).expect("it was sealed here");
                assert_eq!(opened, feedback);
            }
        }
    });
}

fn value(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_default()
}

fn id(value: &Value) -> Uuid {
    value.as_str().and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn line(source: &mut CaseSource<'_>) -> String {
    let (id, trajectory, feedback) = (source.id(), source.json_string(), source.json_string());
    let compressed = *source.pick(&["true", "false"]);
    let digits: String = (0..source.below(40)).map(|_| format!("{:02x}", source.byte())).collect();
    let magic = if source.once_in(2) { "28b52ffd" } else { "" };
    source.object(&[
        ("trace_id", format!("\"{id}\"")),
        ("review_id", format!("\"{id}\"")),
        ("compressed", compressed.to_owned()),
        ("trajectory", trajectory),
        ("body", format!("\"\\\\x{magic}{digits}\"")),
        ("feedback", feedback),
    ])
}

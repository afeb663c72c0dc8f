//! Fuzz target: lines of a pack with trajectories, feedback and comments.

use reflect_fuzz::{CaseSource, FuzzTarget};
use reflect_types::ProjectId;
use serde_json::Value;
use uuid::Uuid;

use super::{body_line, feedback_line};
use crate::sealing::{SealedColumn, Sealer};

const WORDS: &[&str] = &[
    "trace_id",
    "review_id",
    "signal_id",
    "compressed",
    "trajectory",
    "body",
    "feedback",
    "comment",
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
            for (column, row, field) in [
                (SealedColumn::ReviewFeedback, "review_id", "feedback"),
                (SealedColumn::JudgementFeedback, "trace_id", "feedback"),
                (SealedColumn::SignalComment, "signal_id", "comment"),
            ] {
                let _ = feedback_line::readable(sealer, column, line.to_owned());
                let Ok(stored) = feedback_line::stored(sealer, column, line) else { continue };
                let (sent, kept) = (value(line), value(&stored));
                let Some(text) = sent[field].as_str() else { continue };
                let kept = kept[field].as_str().expect("a text").to_owned();
                let opened = sealer.open_text(column.of(id(&sent[row])), kept).expect("it was sealed here");
                assert_eq!(opened, text);
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
    let (id, trajectory) = (source.id(), source.json_string());
    let (feedback, comment) = (source.json_string(), source.json_string());
    let compressed = source.pick_text(&["true", "false"]);
    let digits: String = (0..source.below(40)).map(|_| format!("{:02x}", source.byte())).collect();
    let magic = if source.once_in(2) { "28b52ffd" } else { "" };
    source.object(&[
        ("trace_id", format!("\"{id}\"")),
        ("review_id", format!("\"{id}\"")),
        ("signal_id", format!("\"{id}\"")),
        ("compressed", compressed.to_owned()),
        ("trajectory", trajectory),
        ("body", format!("\"\\\\x{magic}{digits}\"")),
        ("feedback", feedback),
        ("comment", comment),
    ])
}

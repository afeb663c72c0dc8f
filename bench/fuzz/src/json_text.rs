//! Random JSON texts: with names of the target, mostly valid, sometimes broken in a way that parsers must notice.

use std::fmt::Write as _;

use serde_json::Value;

use super::CaseSource;

const LONGEST_LIST: usize = 8;

impl CaseSource<'_> {
    /// A JSON text, nested at most `depth` deep. One in eight is broken.
    pub fn json(&mut self, depth: usize) -> String {
        let mut text = String::new();
        self.json_value(&mut text, depth);
        match self.below(40) {
            0 => text.truncate(text.floor_char_boundary(self.below(text.len() + 1))),
            1 => text.push_str(self.pick_text(&["}", "]", ",", "\0", " x", "\u{feff}", "{}"])),
            2 => text.insert_str(0, self.pick_text(&["\u{feff}", "[", "{", "\"", "-", ","])),
            3 => {
                let level = self.below(300);
                text = format!("{}{text}{}", "[".repeat(level), "]".repeat(level));
            }
            4 => text = text.replacen("\":", "\": ,", 1),
            _ => {}
        }
        text
    }

    /// A JSON object with these fields, each left out now and then, and with others.
    pub fn object(&mut self, fields: &[(&str, String)]) -> String {
        let mut pairs: Vec<String> = Vec::new();
        for (name, value) in fields {
            match self.below(10) {
                0 => {}
                1 => pairs.push(format!("{}:{}", quoted(name), self.json(2))),
                _ => pairs.push(format!("{}:{value}", quoted(name))),
            }
        }
        while self.once_in(4) {
            let other = format!("{}:{}", self.json_string(), self.json(2));
            pairs.insert(self.below(pairs.len() + 1), other);
        }
        if self.once_in(20) && !pairs.is_empty() {
            let twice = pairs[self.below(pairs.len())].clone();
            pairs.push(twice);
        }
        format!("{{{}}}", pairs.join(","))
    }

    /// A JSON array of values.
    pub fn array(&mut self, most: usize, mut item: impl FnMut(&mut Self) -> String) -> String {
        let items: Vec<String> = (0..self.size(most)).map(|_| item(self)).collect();
        format!("[{}]", items.join(","))
    }

    /// A text in quotation marks, sometimes with unusual escapes.
    pub fn json_string(&mut self) -> String {
        match self.below(24) {
            0 => r#""\ud800""#.to_owned(),
            1 => r#""a\u0000b""#.to_owned(),
            2 => r#""\ud83d\ude00\/\b""#.to_owned(),
            3..=14 => quoted(self.word()),
            _ => {
                let text = self.text(6);
                quoted(&text)
            }
        }
    }

    fn json_value(&mut self, text: &mut String, depth: usize) {
        match self.below(if depth == 0 { 6 } else { 11 }) {
            0 => text.push_str(self.pick_text(&["null", "true", "false"])),
            1 => text.push_str(&self.number()),
            2..=5 => text.push_str(&self.json_string()),
            6 | 7 => {
                text.push('[');
                for at in 0..self.size(LONGEST_LIST) {
                    text.push_str(if at == 0 { "" } else { "," });
                    self.json_value(text, depth - 1);
                }
                text.push(']');
            }
            _ => {
                text.push('{');
                for at in 0..self.size(LONGEST_LIST) {
                    text.push_str(if at == 0 { "" } else { "," });
                    let _ = write!(text, "{}:", self.json_string());
                    self.json_value(text, depth - 1);
                }
                text.push('}');
            }
        }
    }
}

/// The text as a JSON string.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Whether a value is the same after it was written and read again. `serde_json` may change the last digit of a number with
/// many digits, which is no defect of what is tested.
pub fn can_be_repeated(value: &Value) -> bool {
    serde_json::from_str::<Value>(&value.to_string()).is_ok_and(|again| again == *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_texts_are_valid_and_some_are_not() {
        let mut source = CaseSource::new(1, &["role"]);
        let valid = (0..1000).filter(|_| serde_json::from_str::<Value>(&source.json(3)).is_ok()).count();

        assert!((500..990).contains(&valid), "{valid}");
    }

    #[test]
    fn an_object_has_most_of_its_fields() {
        let mut source = CaseSource::new(2, &[]);
        let has = |text: String| text.contains("\"task\":\"x\"");
        let with = (0..1000).filter(|_| has(source.object(&[("task", "\"x\"".to_owned())]))).count();

        assert!((700..1000).contains(&with), "{with}");
    }
}

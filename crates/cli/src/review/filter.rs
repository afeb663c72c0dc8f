//! `--filter` of `reflect review`: words such as `model:gpt-5 signal:tool_error "task:two words"`.

use reflect_api::RunFilter;
use serde_json::{Map, Value};

/// Reads a filter. What has no name is looked for in the task.
pub(crate) fn filter(text: &str) -> Result<RunFilter, String> {
    let mut filter = RunFilter::default();
    let mut words = Vec::new();
    for term in terms(text)? {
        let Some((name, value)) = term.split_once(':') else {
            words.push(term);
            continue;
        };
        match name {
            "task" => words.push(value.to_owned()),
            "model" => filter.model = Some(value.to_owned()),
            "signal" => filter.signal = Some(value.to_owned()),
            "judged" => filter.judged = Some(yes_or_no(name, value)?),
            // The queue holds nothing else.
            "status" if value == "pending" => {}
            "error" if yes_or_no(name, value)? => filter.signal = Some("tool_error".to_owned()),
            _ if name.starts_with("metadata.") => {
                let key = name.trim_start_matches("metadata.").to_owned();
                filter.metadata.get_or_insert_with(Map::new).insert(key, Value::String(value.to_owned()));
            }
            _ => {
                return Err(format!(
                    "{term:?} is not known; there are task:, model:, signal:, judged:, error:true, metadata.NAME:"
                ));
            }
        }
    }
    if !words.is_empty() {
        filter.task = Some(words.join(" "));
    }
    Ok(filter)
}

fn yes_or_no(name: &str, value: &str) -> Result<bool, String> {
    value.parse().map_err(|_| format!("{name}: takes true or false, not {value:?}"))
}

/// Words between spaces; quotes hold together what has spaces in it.
fn terms(text: &str) -> Result<Vec<String>, String> {
    let (mut terms, mut term, mut quoted) = (Vec::new(), String::new(), false);
    for letter in text.chars() {
        match letter {
            '"' => quoted = !quoted,
            _ if letter.is_whitespace() && !quoted => terms.push(std::mem::take(&mut term)),
            _ => term.push(letter),
        }
    }
    terms.push(term);
    terms.retain(|term| !term.is_empty());
    if quoted { Err("a quotation mark is not closed".to_owned()) } else { Ok(terms) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_plain_words_are_told_apart() {
        let read = filter(
            r#"status:pending model:m1 "task:two words" error:true judged:false metadata.team:"a b" x"#,
        );

        let read = read.unwrap();
        assert_eq!((read.model.as_deref(), read.task.as_deref()), (Some("m1"), Some("two words x")));
        assert_eq!((read.signal.as_deref(), read.judged), (Some("tool_error"), Some(false)));
        assert_eq!(read.metadata.unwrap()["team"], "a b");
        assert_eq!(filter("").unwrap(), RunFilter::default());
    }

    #[test]
    fn what_is_not_known_is_said_with_what_is() {
        assert!(filter("colour:red").unwrap_err().contains("model:"));
        assert!(filter("judged:maybe").unwrap_err().contains("true or false"));
        assert!(filter("task:\"open").is_err());
    }
}

//! Warnings of the server, such as unknown fields of a request. Each text is shown once per process.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use reqwest::header::HeaderMap;

/// The response header with a warning.
const HEADER: &str = "reflect-warning";
/// Further texts are not shown, so a server cannot fill the log.
const MAX_TEXTS: usize = 100;

static SHOWN: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Passes the new warnings of a response to `show`.
pub(super) fn show_once(headers: &HeaderMap, show: fn(&str)) {
    for text in headers.get_all(HEADER).iter().filter_map(|value| value.to_str().ok()) {
        let mut shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if is_new(shown.get_or_insert_default(), text) {
            drop(shown);
            show(text);
        }
    }
}

/// Writes a warning to the log.
pub(super) fn log(text: &str) {
    tracing::warn!("warning of the server: {text}");
}

fn is_new(shown: &mut HashSet<String>, text: &str) -> bool {
    shown.len() < MAX_TEXTS && shown.insert(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_new_once_and_their_number_is_limited() {
        let mut shown = HashSet::new();
        assert!(is_new(&mut shown, "unknown fields: a") && is_new(&mut shown, "unknown fields: b"));
        assert!(!is_new(&mut shown, "unknown fields: a"));
        let more = (0..1000).filter(|number| is_new(&mut shown, &number.to_string())).count();
        assert_eq!(more, MAX_TEXTS - 2);
    }
}

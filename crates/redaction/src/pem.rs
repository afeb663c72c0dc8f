//! Private keys in PEM format. The end line may be missing.

use crate::Class;
use crate::scan::Span;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// The maximum length of the label between the dashes.
const MAX_LABEL: usize = 48;
/// The minimum length of a base64 run. With less, the text is about keys and contains none.
const MIN_BASE64: usize = 32;

/// Finds private keys, including their begin and end lines. The search continues after each candidate, so every byte is
/// read once.
pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let mut from = 0;
    while let Some(at) = text[from..].find(BEGIN) {
        let start = from + at;
        from = start + BEGIN.len();
        let Some(label) = label(&text[from..]) else { continue };
        from += label;
        let body = body_length(&text[from..]);
        let key = &text[from..from + body];
        if longest_run(key) < MIN_BASE64 {
            continue;
        }
        from += body;
        from += end_length(&text[from..]);
        spans.push(Span { start, end: from, class: Class::PrivateKey });
    }
}

/// The length of the rest of the begin line, if its label is a private key.
fn label(text: &str) -> Option<usize> {
    let line: &str = text.get(..text.floor_char_boundary(MAX_LABEL)).unwrap_or(text);
    let end = line.find("-----")?;
    line[..end].contains("PRIVATE KEY").then_some(end + 5)
}

/// The length of the key's body: base64, line breaks (also escaped ones), and headers.
fn body_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut last = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let fits = match byte {
            b'-' => !text[at..].starts_with("--"),
            b'+' | b'/' | b'=' | b'\\' | b':' | b',' | b'.' | b'(' | b')' | b'"' => true,
            byte => byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace(),
        };
        if !fits {
            return at;
        }
        last = at + 1;
    }
    last
}

fn end_length(text: &str) -> usize {
    if !text.starts_with(END) {
        return 0;
    }
    let line = &text[END.len()..text.floor_char_boundary(END.len() + MAX_LABEL)];
    line.find("-----").map_or(END.len(), |end| END.len() + end + 5)
}

fn longest_run(text: &str) -> usize {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    text.as_bytes().split(|byte| !is_base64(byte)).map(<[u8]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.iter().map(|span| &text[span.start..span.end]).collect()
    }

    #[test]
    fn a_key_is_found_with_and_without_its_end_line() {
        let line = "MIIEpAIBAAKCAQEA7bq0xk4J3xk4J3bq0xk4J3xk4J3bq0xk4J3xk4J3";
        let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{line}\n{line}==\n-----END RSA PRIVATE KEY-----");
        assert_eq!(found(&format!("see {key} above")), [key.as_str()]);
        assert_eq!(found(&key.replace('\n', "\\n")), [key.replace('\n', "\\n").as_str()]);
        let (cut, _) = key.split_once("==").unwrap();
        assert_eq!(found(cut), [cut]);
        let headers =
            key.replace("KEY-----\nM", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F\n\nM");
        assert_eq!(found(&headers), [headers.as_str()]);
    }

    #[test]
    fn a_text_about_keys_is_not_a_key() {
        assert!(
            found("A key starts with -----BEGIN PRIVATE KEY----- and then comes base64, which is long.")
                .is_empty()
        );
        assert!(found("-----BEGIN CERTIFICATE-----\nMIIEpAIBAAKCAQEA7bq0xk4J3xk4J3bq0xk4J3xk4J3").is_empty());
        assert!(found("-----BEGIN PRIVATE KEY").is_empty());
    }

    #[test]
    fn many_begin_lines_take_linear_time() {
        let hostile = "-----BEGIN PRIVATE KEY-----".repeat(200_000);
        assert!(found(&hostile).is_empty());
    }
}

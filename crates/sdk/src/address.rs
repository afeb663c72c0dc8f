//! The base URL of the server, and paths with encoded segments.

use std::fmt::Write;

use crate::error::Error;

/// The base URL without a trailing slash, or an error with a hint.
pub(crate) fn checked_base_url(given: &str) -> Result<String, Error> {
    let unusable = |hint| Error::configuration("the base URL is not a valid server address", hint);
    let text = given.trim().trim_end_matches('/');
    let parsed = reqwest::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(url) = parsed else { return Err(unusable("It looks like http://localhost:8000.")) };
    // The URL appears in error messages.
    if !url.username().is_empty() || url.password().is_some() {
        return Err(unusable("Remove the credentials from it; set the key in REFLECT_API_KEY."));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(unusable("Remove the query and the fragment."));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// A path below `/v1/projects/{project}`. Each id is one segment, whatever characters it has.
pub(crate) fn project_path(project: &str, segments: &[&str]) -> String {
    let mut path = format!("/v1/projects/{}", encoded(project));
    for segment in segments {
        path.push('/');
        path.push_str(&encoded(segment));
    }
    path
}

/// The path with the parameters that have a value.
pub(crate) fn with_query(path: String, parameters: &[(&str, Option<String>)]) -> String {
    let given = parameters.iter().filter_map(|(name, value)| value.as_ref().map(|value| (name, value)));
    given.fold(path, |path, (name, value)| {
        let mark = if path.contains('?') { '&' } else { '?' };
        format!("{path}{mark}{name}={}", encoded(value))
    })
}

/// Percent-encodes all characters except the unreserved ones of RFC 3986.
fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte.into()),
            // Writing to a string cannot fail.
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    // URL libraries resolve these as relative segments.
    match out.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_last_slash_and_keep_their_prefix() {
        assert_eq!(checked_base_url(" http://localhost:8000/ ").unwrap(), "http://localhost:8000");
        assert_eq!(checked_base_url("HTTPS://a.example/reflect/").unwrap(), "https://a.example/reflect");
    }

    #[test]
    fn what_is_no_address_is_refused_without_being_repeated() {
        for text in ["", "localhost:8000", "ftp://a.example", "http://me:secret@a.example", "http://a/?b=c"] {
            let error = checked_base_url(text).unwrap_err().to_string();
            assert!(error.contains("not a valid server address") && !error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn segments_and_parameters_are_encoded() {
        assert_eq!(project_path("a b/c", &["traces", "é"]), "/v1/projects/a%20b%2Fc/traces/%C3%A9");
        let path =
            with_query("/p".to_owned(), &[("a", Some("1&2".into())), ("b", None), ("c", Some("+".into()))]);
        assert_eq!(path, "/p?a=1%262&c=%2B");
    }
}

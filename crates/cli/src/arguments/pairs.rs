//! `name=value` arguments. A value that is valid JSON is parsed; anything else is text.

use std::str::FromStr;

use serde_json::Value;

/// A name and its value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("must look like name=value")?;
        if name.is_empty() {
            return Err("must look like name=value".to_owned());
        }
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        Ok(Self { name: name.to_owned(), value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_json_values_are_parsed() {
        let read = |text: &str| text.parse::<Pair>().map(|pair| pair.value);
        assert_eq!(read("a=1"), Ok(1.into()));
        assert_eq!(read("a=b=c"), Ok("b=c".into()));
        assert_eq!(read("a=[true]"), Ok(serde_json::json!([true])));
        assert!(read("a").is_err() && read("=1").is_err());
    }
}

//! Fields of requests with a limit: free-form ones, whose cost is checked before their values are built, and times.

use chrono::{DateTime, Datelike, Utc};
use reflect_types::{Defence, MAX_METADATA_VALUES, json_cost};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The most JSON values of a filter. A receipt stores it.
const MAX_FILTER_VALUES: usize = 1_000;
/// The longest filter, in bytes.
const MAX_FILTER_BYTES: usize = 16 * 1024;

/// The fields of an object. Null counts as absent.
type Fields = Option<Map<String, Value>>;

/// Reads metadata.
pub(crate) fn metadata<'de, D: Deserializer<'de>>(json: D) -> Result<Fields, D::Error> {
    fields(json, usize::MAX, MAX_METADATA_VALUES)
}

/// Reads a filter over metadata.
pub(crate) fn filter<'de, D: Deserializer<'de>>(json: D) -> Result<Fields, D::Error> {
    fields(json, MAX_FILTER_BYTES, MAX_FILTER_VALUES)
}

fn fields<'de, D: Deserializer<'de>>(json: D, bytes: usize, values: usize) -> Result<Fields, D::Error> {
    let Some(raw) = Option::<Box<RawValue>>::deserialize(json)? else { return Ok(None) };
    if raw.get().len() > bytes && Defence::JsonCost.is_on() {
        return Err(D::Error::custom(format!("a filter must not be larger than {bytes} bytes")));
    }
    if json_cost(raw.get().as_bytes()).exceeds(values) {
        return Err(D::Error::custom(format!("must not have more than {values} values")));
    }
    // The error of the outer text has the position.
    let without_position = |error: serde_json::Error| {
        let text = error.to_string();
        D::Error::custom(text.split(" at line ").next().unwrap_or_default())
    };
    serde_json::from_str(raw.get()).map(Some).map_err(without_position)
}

/// Reads a time whose year has four digits, as RFC 3339 says. The parser also takes other years, which databases and
/// clients cannot hold. Null counts as absent.
pub fn bounded_time<'de, D: Deserializer<'de>>(text: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    let time = Option::<DateTime<Utc>>::deserialize(text)?;
    match time {
        Some(time) if !(0..=9999).contains(&time.year()) => {
            Err(D::Error::custom("the year of a time must have four digits, as in 2026-11-01T12:00:00Z"))
        }
        time => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use crate::{CreateTrace, DeferTrace, QueryMemories, UpliftQuery, decode};

    fn query(filter: &str) -> Result<QueryMemories, String> {
        let body = format!(r#"{{"task": "t", "metadata_filter": {filter}}}"#);
        decode(body.as_bytes()).body.map_err(|error| error.to_string())
    }

    #[test]
    fn a_filter_is_read_as_before() {
        let read = query(r#"{"team": ["a", {"b": null}]}"#).unwrap().metadata_filter.unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), r#"{"team":["a",{"b":null}]}"#);
        assert_eq!(query("null").unwrap().metadata_filter, None);
        assert!(query("7").unwrap_err().contains("map"));
    }

    #[test]
    fn a_filter_that_costs_too_much_is_refused() {
        let nested = format!(r#"{{"a": [[]{}]}}"#, ",[]".repeat(600));
        assert!(query(&nested).unwrap_err().contains("1000 values"));
        let long = format!(r#"{{"a": "{}"}}"#, "x".repeat(20_000));
        assert!(query(&long).unwrap_err().contains("16384 bytes"));
    }

    #[test]
    fn metadata_that_costs_too_much_is_refused() {
        let body = |count| {
            let metadata = format!(r#"{{"a": [[]{}]}}"#, ",[]".repeat(count));
            format!(r#"{{"task": "t", "trajectory": [], "metadata": {metadata}}}"#)
        };
        assert!(decode::<CreateTrace>(body(100).as_bytes()).body.is_ok());
        let refused = decode::<CreateTrace>(body(1_000).as_bytes()).body.unwrap_err();
        assert!(refused.to_string().contains("1000 values"));
    }

    #[test]
    fn a_year_has_four_digits() {
        let until = |time: &str| decode::<DeferTrace>(format!(r#"{{"until": "{time}"}}"#).as_bytes()).body;
        assert!(until("2026-11-01T12:00:00+02:00").unwrap().until.is_some());
        assert!(decode::<DeferTrace>(br#"{"until": null}"#).body.unwrap().until.is_none());
        for wrong in ["+10000-01-01T00:00:00Z", "-262143-01-01T00:00:00Z", "-0001-12-31T00:00:00Z"] {
            assert!(until(wrong).unwrap_err().to_string().contains("four digits"), "{wrong}");
        }
        assert!(decode::<UpliftQuery>(br#"{"since": "+10000-01-01T00:00:00Z"}"#).body.is_err());
    }
}

//! What in the messages of a recording must change in a replay: ids that are new, ids of jobs, and ids of types.

use std::collections::HashMap;

use uuid::Uuid;

use crate::recording::Recording;
use crate::wire::{self, Message};

const UUID: u32 = 2950;
const UUIDS: u32 = 2951;
const BIGINT: u32 = 20;
const BIGINTS: u32 = 1016;
/// The length of an id as text.
const TEXT: usize = 36;

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An id of 16 bytes.
    Id,
    /// An id as text.
    IdText,
    /// A number of 64 bits.
    Number,
}

/// A value in the body of a Bind message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) kind: Kind,
    pub(crate) at: usize,
}

impl Place {
    /// The id at this place.
    pub(crate) fn id(self, message: &Message) -> Uuid {
        let bytes = message.body.get(self.at..).unwrap_or_default();
        match self.kind {
            Kind::Id => bytes.first_chunk::<16>().map(|bytes| Uuid::from_bytes(*bytes)).unwrap_or_default(),
            _ => bytes.get(..TEXT).and_then(|text| Uuid::try_parse_ascii(text).ok()).unwrap_or_default(),
        }
    }
}

/// A Bind message with the places in it.
pub(crate) type Located = (Message, Vec<Place>);

/// The Bind messages of every exchange.
pub(crate) fn of_recording(recording: &Recording) -> anyhow::Result<Vec<Vec<Located>>> {
    let mut types: HashMap<(usize, String), Vec<u32>> = HashMap::new();
    let mut found = Vec::new();
    for exchange in &recording.exchanges {
        let mut of_exchange = Vec::new();
        for sent in &exchange.sent {
            let message = sent.message()?;
            if message.kind == wire::PARSE {
                let parsed = message.parsed();
                types.insert((exchange.session, parsed.name), parsed.types);
            } else if message.kind == wire::BIND {
                let statement = (exchange.session, message.bound().statement);
                let places = places(&message, types.get(&statement).map_or(&[], Vec::as_slice));
                of_exchange.push((message, places));
            }
        }
        found.push(of_exchange);
    }
    Ok(found)
}

/// The statements that each exchange runs.
pub(crate) fn statements_of(recording: &Recording) -> anyhow::Result<Vec<Vec<String>>> {
    let mut prepared: HashMap<(usize, String), String> = HashMap::new();
    let mut found = Vec::new();
    for exchange in &recording.exchanges {
        let mut of_exchange = Vec::new();
        for sent in &exchange.sent {
            let message = sent.message()?;
            match message.kind {
                wire::QUERY => of_exchange.push(message.text()),
                wire::PARSE => {
                    let parsed = message.parsed();
                    prepared.insert((exchange.session, parsed.name), parsed.statement);
                }
                wire::BIND => {
                    let name = (exchange.session, message.bound().statement);
                    of_exchange.extend(prepared.get(&name).cloned());
                }
                _ => {}
            }
        }
        found.push(of_exchange);
    }
    Ok(found)
}

/// The places in a Bind message whose statement has parameters of these types.
pub(crate) fn places(message: &Message, types: &[u32]) -> Vec<Place> {
    let mut found = Vec::new();
    for (number, range) in message.bound().parameters.into_iter().enumerate() {
        let value = &message.body[range.clone()];
        let place = |kind, at| Place { kind, at: range.start + at };
        match types.get(number) {
            Some(&UUID) if value.len() == 16 => found.push(place(Kind::Id, 0)),
            Some(&BIGINT) if value.len() == 8 => found.push(place(Kind::Number, 0)),
            Some(&UUIDS) => found.extend(elements(value, 16).map(|at| place(Kind::Id, at))),
            Some(&BIGINTS) => found.extend(elements(value, 8).map(|at| place(Kind::Number, at))),
            _ => found.extend(texts(value).map(|at| place(Kind::IdText, at))),
        }
    }
    found
}

/// Where the elements of an array begin that have this length. An array has its number of dimensions, a flag and a type, then
/// length and lower bound of its only dimension, and each element its length before it.
fn elements(array: &[u8], length: usize) -> impl Iterator<Item = usize> + '_ {
    let mut at = 20;
    std::iter::from_fn(move || {
        loop {
            let own = u32::from_be_bytes(*array.get(at..)?.first_chunk()?).cast_signed();
            let start = at + 4;
            let own = usize::try_from(own).unwrap_or(0);
            at = start + own;
            if own == length {
                return Some(start);
            }
        }
    })
}

/// Where ids begin in a text.
fn texts(value: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let windows = value.windows(TEXT).enumerate();
    windows.filter(|(_, text)| text[8] == b'-' && Uuid::try_parse_ascii(text).is_ok()).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(parameters: &[&[u8]]) -> Message {
        let count = u16::try_from(parameters.len()).unwrap().to_be_bytes();
        let mut body = [b"\0s\0\0\0".as_slice(), &count].concat();
        for parameter in parameters {
            body.extend(u32::try_from(parameter.len()).unwrap().to_be_bytes());
            body.extend_from_slice(parameter);
        }
        Message { kind: wire::BIND, body }
    }

    #[test]
    fn ids_are_found_in_values_in_arrays_and_in_texts() {
        let id = Uuid::now_v7();
        let header = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 11, 134, 0, 0, 0, 2, 0, 0, 0, 1];
        let array = [&header[..], &[0, 0, 0, 16], id.as_bytes(), &[255; 4]].concat();
        let text = format!("{{\"review_id\": \"{id}\"}}");

        let message = bind(&[id.as_bytes(), &array, text.as_bytes()]);
        let places = places(&message, &[UUID, UUIDS, 114]);

        assert_eq!(
            places.iter().map(|place| place.kind).collect::<Vec<_>>(),
            [Kind::Id, Kind::Id, Kind::IdText]
        );
        assert!(places.iter().all(|place| place.id(&message) == id));
    }

    #[test]
    fn numbers_are_found() {
        let places = places(&bind(&[&7_i64.to_be_bytes()]), &[BIGINT]);

        assert_eq!(places.len(), 1);
        assert_eq!(places[0].kind, Kind::Number);
    }
}

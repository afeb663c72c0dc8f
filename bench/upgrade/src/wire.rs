//! Messages of the Postgres protocol, as far as this run reads and changes them.

use anyhow::{Context, ensure};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// More than any message of this run.
const LONGEST: usize = 64 << 20;
/// The code of a request for TLS, which comes before the start message.
const TLS_REQUEST: [u8; 4] = 80_877_103_u32.to_be_bytes();
/// Version 3.0.
const VERSION: [u8; 4] = 196_608_u32.to_be_bytes();

pub(crate) const QUERY: u8 = b'Q';
pub(crate) const PARSE: u8 = b'P';
pub(crate) const BIND: u8 = b'B';
pub(crate) const EXECUTE: u8 = b'E';
pub(crate) const SYNC: u8 = b'S';
pub(crate) const CLOSE: u8 = b'C';
pub(crate) const TERMINATE: u8 = b'X';
pub(crate) const READY: u8 = b'Z';
pub(crate) const ERROR: u8 = b'E';
pub(crate) const DATA_ROW: u8 = b'D';
pub(crate) const KEY_DATA: u8 = b'K';

/// A message: its type and its body, without the length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) kind: u8,
    pub(crate) body: Vec<u8>,
}

/// The statement of a Parse message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) name: String,
    pub(crate) statement: String,
    pub(crate) types: Vec<u32>,
}

/// Where the parameters of a Bind message are in its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) statement: String,
    pub(crate) parameters: Vec<std::ops::Range<usize>>,
}

impl Message {
    /// A simple query.
    pub(crate) fn query(statement: &str) -> Self {
        Self { kind: QUERY, body: [statement.as_bytes(), b"\0"].concat() }
    }

    /// As it is sent.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let length = u32::try_from(self.body.len() + 4).unwrap_or(u32::MAX);
        [&[self.kind][..], &length.to_be_bytes(), &self.body].concat()
    }

    /// Reads a message. `None` at the end.
    pub(crate) async fn read(from: &mut (impl AsyncRead + Unpin)) -> anyhow::Result<Option<Self>> {
        let Ok(kind) = from.read_u8().await else { return Ok(None) };
        let body = read_body(from).await?;
        Ok(Some(Self { kind, body }))
    }

    /// The text of a simple query.
    pub(crate) fn text(&self) -> String {
        text(&mut self.body.as_slice())
    }

    /// Reads a Parse message.
    pub(crate) fn parsed(&self) -> Parsed {
        let rest = &mut self.body.as_slice();
        let (name, statement) = (text(rest), text(rest));
        let count = number16(rest);
        let types = (0..count).map(|_| number32(rest)).collect();
        Parsed { name, statement, types }
    }

    /// Reads a Bind message.
    pub(crate) fn bound(&self) -> Bound {
        let rest = &mut self.body.as_slice();
        let _portal = text(rest);
        let statement = text(rest);
        for _ in 0..number16(rest) {
            number16(rest);
        }
        let mut parameters = Vec::new();
        for _ in 0..number16(rest) {
            // Minus one is null.
            let length = usize::try_from(number32(rest).cast_signed()).unwrap_or(0);
            let start = self.body.len() - rest.len();
            parameters.push(start..start + length);
            *rest = rest.get(length..).unwrap_or_default();
        }
        Bound { statement, parameters }
    }

    /// The fields of an error, such as `C` for its code and `M` for its text.
    pub(crate) fn error_field(&self, field: u8) -> String {
        let mut parts = self.body.split(|byte| *byte == 0);
        let found = parts.find(|part| part.first() == Some(&field)).map(|part| &part[1..]);
        String::from_utf8_lossy(found.unwrap_or_default()).into_owned()
    }

    /// The first field of a row, if it is a number of 64 bits.
    pub(crate) fn first_number(&self) -> Option<i64> {
        let rest = &mut self.body.as_slice();
        number16(rest);
        let length = number32(rest);
        let bytes = rest.get(..8).filter(|_| length == 8)?;
        Some(i64::from_be_bytes(bytes.try_into().ok()?))
    }

    /// The id of the server's process, in its key data.
    pub(crate) fn process(&self) -> Option<u32> {
        Some(u32::from_be_bytes(self.body.get(..4)?.try_into().ok()?))
    }
}

impl Parsed {
    pub(crate) fn message(&self) -> Message {
        let count = u16::try_from(self.types.len()).unwrap_or(u16::MAX);
        let types = self.types.iter().flat_map(|kind| kind.to_be_bytes());
        let mut body = [self.name.as_bytes(), b"\0", self.statement.as_bytes(), b"\0"].concat();
        body.extend(count.to_be_bytes().into_iter().chain(types));
        Message { kind: PARSE, body }
    }
}

/// Reads the start message of a client. A request for TLS is refused, so the client continues without.
pub(crate) async fn read_start<S>(client: &mut S) -> anyhow::Result<Vec<u8>>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut body = read_body(client).await?;
    if body.starts_with(&TLS_REQUEST) {
        client.write_all(b"N").await?;
        body = read_body(client).await?;
    }
    Ok(body)
}

/// The parameters of a start message.
pub(crate) fn start_parameters(body: &[u8]) -> Vec<(String, String)> {
    let rest = &mut body.get(4..).unwrap_or_default();
    let mut parameters = Vec::new();
    loop {
        let name = text(rest);
        if name.is_empty() {
            return parameters;
        }
        parameters.push((name, text(rest)));
    }
}

/// A start message, as it is sent.
pub(crate) fn start_message(parameters: &[(String, String)]) -> Vec<u8> {
    let mut body = VERSION.to_vec();
    for (name, value) in parameters {
        body.extend_from_slice(&[name.as_bytes(), b"\0", value.as_bytes(), b"\0"].concat());
    }
    body.push(0);
    with_length(&body)
}

/// A body with its length, which the start message begins with.
pub(crate) fn with_length(body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], body].concat()
}

async fn read_body(from: &mut (impl AsyncRead + Unpin)) -> anyhow::Result<Vec<u8>> {
    let length =
        usize::try_from(from.read_u32().await?)?.checked_sub(4).context("a message has no length")?;
    ensure!(length <= LONGEST, "a message of {length} bytes");
    let mut body = vec![0; length];
    from.read_exact(&mut body).await?;
    Ok(body)
}

fn text(rest: &mut &[u8]) -> String {
    let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
    let found = String::from_utf8_lossy(&rest[..end]).into_owned();
    *rest = rest.get(end + 1..).unwrap_or_default();
    found
}

fn number16(rest: &mut &[u8]) -> u16 {
    let (found, after) =
        rest.split_first_chunk().map_or((0, &[][..]), |(bytes, after)| (u16::from_be_bytes(*bytes), after));
    *rest = after;
    found
}

fn number32(rest: &mut &[u8]) -> u32 {
    let (found, after) =
        rest.split_first_chunk().map_or((0, &[][..]), |(bytes, after)| (u32::from_be_bytes(*bytes), after));
    *rest = after;
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_a_bind_message_are_found() {
        let mut body = b"\0name\0".to_vec();
        body.extend_from_slice(&[0, 1, 0, 1, 0, 2]);
        body.extend_from_slice(&[0, 0, 0, 2, 7, 8]);
        body.extend_from_slice(&[255, 255, 255, 255]);
        body.extend_from_slice(&[0, 1, 0, 1]);

        let bound = Message { kind: BIND, body: body.clone() }.bound();

        assert_eq!(bound.statement, "name");
        assert_eq!(body[bound.parameters[0].clone()], [7, 8]);
        assert!(bound.parameters[1].is_empty());
    }

    #[test]
    fn a_parse_message_is_read_as_it_is_written() {
        let parsed =
            Parsed { name: "s1".to_owned(), statement: "select $1".to_owned(), types: vec![2950, 20] };

        assert_eq!(parsed.message().parsed(), parsed);
    }

    #[test]
    fn a_start_message_is_read_as_it_is_written() {
        let parameters =
            vec![("user".to_owned(), "a".to_owned()), ("options".to_owned(), "-c x=1".to_owned())];

        let message = start_message(&parameters);

        assert_eq!(start_parameters(&message[4..]), parameters);
    }

    #[test]
    fn the_fields_of_an_error_are_found() {
        let error = Message { kind: ERROR, body: b"SERROR\0C42703\0Mno such column\0\0".to_vec() };

        assert_eq!(
            (error.error_field(b'C'), error.error_field(b'M')),
            ("42703".into(), "no such column".into())
        );
    }
}

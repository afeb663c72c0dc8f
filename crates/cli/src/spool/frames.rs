//! The format of the Python SDK's spool files (`_delivery/frames.py` in the SDK): a header line, then frames with records
//! and acknowledgements. Reading never fails; unreadable sections are counted.

use std::collections::BTreeMap;

pub(super) const HEADER: &[u8] = b"reflect-spool 1\n";
const HEADER_START: &[u8] = b"reflect-spool ";
/// Not valid UTF-8, so it cannot occur in a body.
pub(super) const MARK: &[u8] = b"\xf7RF\xf8";
pub(super) const RECORD: u8 = 1;
const ACKNOWLEDGEMENT: u8 = 2;
/// Mark, kind, flags, length of the id, length of the payload, time.
const HEAD: usize = 20;
/// And the checksum.
const WHOLE_HEAD: usize = HEAD + 4;

/// A run that is not acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) offset: u64,
    pub(super) trace_id: String,
    pub(super) body: Vec<u8>,
    pub(super) written_ms: u64,
}

/// The contents of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contents {
    pub(super) waiting: Vec<Record>,
    /// The number of unreadable sections.
    pub(super) damaged: usize,
    /// Written by a later version.
    pub(super) of_another_version: bool,
}

enum Frame {
    Record(Record),
    Acknowledged(Vec<u64>),
}

/// The records that were not acknowledged.
pub(super) fn read(data: &[u8]) -> Contents {
    let mut at = if data.starts_with(HEADER) { HEADER.len() } else { 0 };
    let mut records: BTreeMap<u64, Record> = BTreeMap::new();
    let mut contents = Contents::default();
    let (mut broken, mut any) = (false, false);
    while at < data.len() {
        let Some((frame, length)) = frame_at(data, at) else {
            contents.damaged += usize::from(!broken);
            broken = true;
            // The length in the head cannot be trusted: search for the next mark.
            let next = data[at + 1..].windows(MARK.len()).position(|window| window == MARK);
            at = next.map_or(data.len(), |next| at + 1 + next);
            continue;
        };
        broken = false;
        match frame {
            Frame::Record(record) => {
                any = true;
                records.insert(record.offset, record);
            }
            Frame::Acknowledged(offsets) => offsets.iter().for_each(|offset| drop(records.remove(offset))),
        }
        at += length;
    }
    contents.of_another_version = !data.starts_with(HEADER) && data.starts_with(HEADER_START) && !any;
    contents.waiting = records.into_values().collect();
    contents
}

fn frame_at(data: &[u8], at: usize) -> Option<(Frame, usize)> {
    let head = data.get(at..at + WHOLE_HEAD)?;
    let number = |from: usize, bytes: usize| {
        head[from..from + bytes].iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
    };
    let (name_length, length) = (usize::try_from(number(6, 2)).ok()?, usize::try_from(number(8, 4)).ok()?);
    let payload = data.get(at + WHOLE_HEAD..(at + WHOLE_HEAD).checked_add(length)?)?;
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[MARK.len()..HEAD]);
    crc.update(payload);
    if !head.starts_with(MARK) || u64::from(crc.finalize()) != number(HEAD, 4) {
        return None;
    }
    let whole = WHOLE_HEAD + length;
    let frame = match head[4] {
        RECORD if name_length <= length => {
            let (name, body) = payload.split_at(name_length);
            Frame::Record(Record {
                offset: at as u64,
                trace_id: String::from_utf8_lossy(name).into_owned(),
                body: body.to_vec(),
                written_ms: number(12, 8),
            })
        }
        ACKNOWLEDGEMENT if length.is_multiple_of(8) => {
            let offset =
                |bytes: &[u8]| bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
            Frame::Acknowledged(payload.chunks_exact(8).map(offset).collect())
        }
        // A valid frame of a later version.
        _ => Frame::Acknowledged(Vec::new()),
    };
    Some((frame, whole))
}

/// A whole file with one run.
pub(super) fn file_of(trace_id: &str, body: &[u8], written_ms: u64) -> anyhow::Result<Vec<u8>> {
    let name_length = u16::try_from(trace_id.len())?;
    let payload = [trace_id.as_bytes(), body].concat();
    u32::try_from(payload.len())?;
    Ok([HEADER.to_vec(), frame(RECORD, name_length, &payload, written_ms)].concat())
}

/// A frame that acknowledges the records at these offsets.
pub(super) fn acknowledgement(offsets: &[u64], written_ms: u64) -> Vec<u8> {
    let payload: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
    frame(ACKNOWLEDGEMENT, 0, &payload, written_ms)
}

pub(super) fn frame(kind: u8, name_length: u16, payload: &[u8], written_ms: u64) -> Vec<u8> {
    let mut head = MARK.to_vec();
    head.extend([kind, 0]);
    head.extend(name_length.to_le_bytes());
    head.extend(u32::try_from(payload.len()).unwrap_or(u32::MAX).to_le_bytes());
    head.extend(written_ms.to_le_bytes());
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[MARK.len()..]);
    crc.update(payload);
    head.extend(crc.finalize().to_le_bytes());
    head.extend(payload);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str, body: &str) -> Vec<u8> {
        let payload = format!("{id}{body}");
        frame(RECORD, u16::try_from(id.len()).unwrap(), payload.as_bytes(), 7)
    }

    fn file(frames: &[Vec<u8>]) -> Vec<u8> {
        [HEADER.to_vec(), frames.concat()].concat()
    }

    #[test]
    fn acknowledged_records_are_not_returned() {
        let (first, second) = (record("a", "{1}"), record("b", "{2}"));
        let acknowledged = acknowledgement(&[HEADER.len() as u64], 9);

        let contents = read(&file(&[first, second, acknowledged]));

        let [waiting] = contents.waiting.as_slice() else { panic!("{contents:?}") };
        assert_eq!(
            (waiting.trace_id.as_str(), waiting.body.as_slice(), waiting.written_ms),
            ("b", &b"{2}"[..], 7)
        );
        assert_eq!(contents.damaged, 0);
    }

    #[test]
    fn a_file_with_one_run_can_be_read() {
        let contents = read(&file_of("a", b"{1}", 7).unwrap());

        assert_eq!(contents.waiting.len(), 1);
        let waiting = &contents.waiting[0];
        assert_eq!((waiting.trace_id.as_str(), waiting.body.as_slice()), ("a", &b"{1}"[..]));
        assert_eq!(contents.damaged, 0);
    }

    #[test]
    fn a_damaged_section_hides_no_other() {
        let mut data = file(&[record("a", "{1}"), record("b", "{2}")]);
        let inside_the_first = HEADER.len() + WHOLE_HEAD;
        data[inside_the_first] ^= 1;
        data.extend(&record("c", "{3}")[..10]);

        let contents = read(&data);

        assert_eq!(contents.waiting.len(), 1);
        assert_eq!((contents.waiting[0].trace_id.as_str(), contents.damaged), ("b", 2));
    }

    #[test]
    fn a_later_version_is_detected_and_any_bytes_are_read() {
        assert!(read(b"reflect-spool 2\nwhatever").of_another_version);
        for odd in [&b""[..], b"\xf7RF\xf8", b"reflect-spool 1\n\xf7RF\xf8\x01", &[0xf7; 100]] {
            assert!(read(odd).waiting.is_empty());
        }
    }
}

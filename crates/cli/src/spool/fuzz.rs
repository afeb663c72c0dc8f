//! Fuzz target: spool files, as a power failure or another version of the Python SDK leaves them.

use reflect_fuzz::{CaseSource, FuzzTarget};

use super::frames::{Contents, HEADER, MARK, RECORD, acknowledgement, frame, read};

#[test]
fn a_spool_file_gives_what_is_whole_and_nothing_twice() {
    let words = &["\u{fffd}RF", "reflect-spool 1\n", "reflect-spool 2\n", "{\"task\": \"t\"}"];
    FuzzTarget::new("spool").words(words).run(file, |input| {
        let Contents { waiting, damaged, of_another_version } = read(input);

        assert!(waiting.iter().map(|record| record.offset).is_sorted_by(|one, other| one < other));
        let bodies: usize = waiting.iter().map(|record| record.body.len()).sum();
        assert!(bodies <= input.len() && damaged <= input.len());
        assert!(!of_another_version || waiting.is_empty());
        for record in &waiting {
            let at = usize::try_from(record.offset).expect("a place in the file");
            assert!(input[at..].starts_with(MARK), "no record begins at {at}");
        }

        let mut written = HEADER.to_vec();
        let mut offsets = Vec::new();
        for record in &waiting {
            offsets.push(written.len() as u64);
            let payload = [record.trace_id.as_bytes(), &record.body].concat();
            let name = u16::try_from(record.trace_id.len()).unwrap_or(u16::MAX);
            written.extend(frame(RECORD, name, &payload, record.written_ms));
        }
        let again = read(&written);
        assert_eq!((again.damaged, again.waiting.len()), (0, waiting.len()));
        for (one, other) in waiting.iter().zip(&again.waiting) {
            assert_eq!((&one.body, one.written_ms), (&other.body, other.written_ms));
        }
        written.extend(acknowledgement(&offsets, 1));
        assert!(read(&written).waiting.is_empty());
        // What follows a whole file hides nothing of it.
        written.extend_from_slice(input);
        let after = read(&written);
        assert!(after.waiting.iter().all(|record| !offsets.contains(&record.offset)));
    });
}

fn file(source: &mut CaseSource<'_>) -> Vec<u8> {
    let mut data = source.pick(&[HEADER, HEADER, HEADER, &b"reflect-spool 2\n"[..], &b""[..]]).to_vec();
    let mut offsets = vec![0];
    for _ in 0..source.size(6) {
        let at = data.len();
        match source.below(6) {
            0 => data.extend(acknowledgement(&[*source.pick(&offsets)], 1)),
            1 => data.extend(source.text(4).into_bytes()),
            2 => data.extend(frame(source.byte(), 3, b"abc", 9)),
            _ => {
                offsets.push(at as u64);
                let (name, body) = (source.id(), source.json(2));
                let length = u16::try_from(name.len()).unwrap_or_default();
                data.extend(frame(
                    RECORD,
                    length,
                    format!("{name}{body}").as_bytes(),
                    source.below(1 << 40) as u64,
                ));
            }
        }
        // A part that was not written, or was written wrongly.
        if source.once_in(6) && data.len() > at {
            let place = at + source.below(data.len() - at);
            if source.once_in(2) { data.truncate(place) } else { data[place] ^= 1 << source.below(8) }
        }
    }
    if source.once_in(300) {
        // Marks with lengths that reach the end of the file.
        let head = [MARK, &[RECORD, 0, 0, 0], &30_000_u32.to_le_bytes(), &[0; 12]].concat();
        data.extend(head.repeat(source.below(200)));
    }
    data
}

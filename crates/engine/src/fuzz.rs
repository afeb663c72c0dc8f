//! Fuzz targets: key texts, address ranges, and signed ends of the audit log.

use std::net::IpAddr;

use reflect_fuzz::{CaseSource, FuzzTarget};
use reflect_types::Defence;

use crate::audit::{find_heads, head_text};
use crate::key_text::{KeyText, checksum};
use crate::{address_ranges, one_line};

#[test]
fn only_a_key_with_its_checksum_is_a_key() {
    let words = &["rf_live_", "rf_test_", "_", "rf_", "abcdefgh", "00000000"];
    FuzzTarget::new("key-texts").words(words).run(key, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        let Ok(key) = KeyText::parse(text) else { return };

        assert_eq!(key.expose(), text);
        assert!(text.is_ascii() && text.len() == 66, "{text:?}");
        assert!(key.public_id().len() == 8 && text.contains(key.public_id()));
        assert!(!format!("{key:?}").contains(&text[17..]), "the secret is shown");
        assert_eq!(KeyText::parse(text).map(|again| again.digest()).ok(), Some(key.digest()));
        for place in 8..text.len() {
            let mut typo = text.as_bytes().to_vec();
            typo[place] = if typo[place] == b'x' { b'y' } else { b'x' };
            assert!(KeyText::parse(str::from_utf8(&typo).expect("ASCII")).is_err(), "a typo at {place}");
        }
    });
}

fn key(source: &mut CaseSource<'_>) -> String {
    if source.once_in(3) {
        return source.text(8);
    }
    let letters: Vec<u8> = (b'0'..=b'9').chain(b'A'..=b'Z').chain(b'a'..=b'z').collect();
    let word = |source: &mut CaseSource<'_>, length: usize| -> String {
        (0..length).map(|_| char::from(*source.pick(&letters))).collect()
    };
    let environment = source.pick_text(&["live", "test", "prod"]);
    let (public, secret) = (if source.once_in(8) { 7 } else { 8 }, if source.once_in(8) { 44 } else { 43 });
    let body = format!("rf_{environment}_{}_{}", word(source, public), word(source, secret));
    let sum = if source.once_in(8) { "000000".to_owned() } else { checksum(&body) };
    format!("{body}{sum}")
}

#[test]
fn a_range_allows_its_addresses_and_no_others() {
    let words = &[
        "10.0.0.0/8",
        "10.0.0.1",
        "/",
        "0.0.0.0/0",
        "::/0",
        "2001:db8::/32",
        "::1",
        "::ffff:10.0.0.1",
        "::ffff:10.0.0.0/104",
        "255.255.255.255",
        "fe80::1%eth0",
        "/33",
        "/129",
        "\n",
        ":",
        ".",
    ];
    let target = FuzzTarget::new("address-ranges")
        .words(words)
        .mutant("key-addresses", || Defence::KeyAddresses.switch_off());
    target.run(ranges, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        let texts: Vec<String> = text.lines().map(str::to_owned).collect();
        let Ok(read) = address_ranges::parse(&texts) else { return };

        assert!(read.len() <= 50);
        let printed: Vec<String> = read.iter().map(ToString::to_string).collect();
        assert_eq!(address_ranges::parse(&printed).ok().as_ref(), Some(&read), "read again");
        assert!(address_ranges::lie_within(&read, &printed), "{printed:?} within itself");
        for (range, sent) in read.iter().zip(&texts) {
            let own = [range.to_string()];
            // A range of both families has no single form.
            let plain = |address: &IpAddr| address.to_canonical() == *address;
            for address in [range.network(), range.broadcast()].into_iter().filter(plain) {
                assert!(
                    address_ranges::allow(&own, Some(address)),
                    "{sent} does not allow its own {address}"
                );
            }
        }
        let outside: [IpAddr; 2] =
            ["203.0.113.77", "2001:db8:ffff::77"].map(|text| text.parse().expect("an address"));
        for address in outside {
            let inside = read.iter().any(|range| range.contains(&address));
            let allowed = read.is_empty() || inside;
            assert_eq!(address_ranges::allow(&printed, Some(address)), allowed, "{address} in {printed:?}");
        }
        assert_eq!(address_ranges::allow(&printed, None), read.is_empty());
    });
}

fn ranges(source: &mut CaseSource<'_>) -> String {
    let range = |source: &mut CaseSource<'_>| {
        let address = match source.below(6) {
            0 => source.text(3),
            1 => source.word().to_owned(),
            2 => format!("::ffff:{}.{}.0.1", source.byte(), source.byte()),
            3 => format!("2001:db8:{:x}::{:x}", source.below(70_000), source.below(70_000)),
            _ => format!("{}.{}.{}.{}", source.byte(), source.byte(), source.byte(), source.byte()),
        };
        if source.once_in(2) { address } else { format!("{address}/{}", source.below(140)) }
    };
    let ranges: Vec<String> = (0..=source.size(60)).map(|_| range(source)).collect();
    ranges.join("\n")
}

#[test]
fn signed_ends_are_found_in_any_log() {
    let words =
        &["audit-head-1:", "audit-head-1:3:41:", ":", "00", "1700000000000001", "-", "+f", "\"", "\n"];
    let generate = |source: &mut CaseSource<'_>| {
        let (before, after) = (source.text(4), source.text(4));
        let (chain, sequence, at) = (source.number(), source.number(), source.number());
        let hash = source.pick_text(&["07", "0F", "+f", "7"]).repeat(32);
        format!(
            "{before}audit-head-1:{chain}:{sequence}:{hash}:{at}:0011:{}{after}",
            "09".repeat(source.below(70))
        )
    };
    FuzzTarget::new("audit-heads").words(words).run(generate, |input| {
        let Ok(text) = str::from_utf8(input) else { return };
        match find_heads(text) {
            Err(error) => assert!(error.line >= 1 && error.line <= text.lines().count()),
            Ok(heads) => {
                let printed: Vec<String> = heads.iter().map(head_text).collect();
                assert_eq!(find_heads(&printed.join("\n")), Ok(heads), "read again");
            }
        }
        let line = one_line::one_line(text, 40);
        assert!(line.chars().count() <= 40 && !line.contains(['\n', '\r', '\t']), "{line:?}");
        assert_eq!(one_line::one_line(&line, 40), line, "one line again");
    });
}

//! The addresses from which a key works: CIDR ranges, such as `10.0.0.0/8` or `2001:db8::/32`.

use std::net::IpAddr;

use ipnet::{IpNet, Ipv4Net};
use reflect_types::Defence;

use crate::error::EngineError;

const MOST_RANGES: usize = 50;

/// Parses ranges that a client sent. A single address is a range of one.
pub(crate) fn parse(texts: &[String]) -> Result<Vec<IpNet>, EngineError> {
    if texts.len() > MOST_RANGES {
        let problem = format!("has {} entries, at most {MOST_RANGES} are accepted", texts.len());
        return Err(EngineError::invalid("address_ranges", problem));
    }
    let one = |text: &String| {
        range(text.trim()).ok_or_else(|| {
            let problem = format!("has {text:?}; write ranges such as 10.0.0.0/8 or 2001:db8::/32");
            EngineError::invalid("address_ranges", problem)
        })
    };
    texts.iter().map(one).collect()
}

fn range(text: &str) -> Option<IpNet> {
    let range: Option<IpNet> = text.parse().ok();
    let range = range.or_else(|| Some(IpNet::from(text.parse::<IpAddr>().ok()?)));
    range.map(|range| canonical(range).trunc())
}

/// A range of IPv4 addresses in their IPv6 form, as the range of IPv4 addresses: clients are compared in that form.
fn canonical(range: IpNet) -> IpNet {
    let IpNet::V6(mapped) = range else { return range };
    let (address, bits) = (mapped.addr().to_ipv4_mapped(), mapped.prefix_len().checked_sub(96));
    let plain = address.zip(bits).and_then(|(address, bits)| Ipv4Net::new(address, bits).ok());
    plain.map_or(range, IpNet::V4)
}

/// Whether a key with these ranges works from an address. Without ranges it works from everywhere. If the address is not
/// known, a key with ranges does not work.
pub(crate) fn allow(ranges: &[String], address: Option<IpAddr>) -> bool {
    if ranges.is_empty() || !Defence::KeyAddresses.is_on() {
        return true;
    }
    // An IPv4 client of a socket for both protocols has a mapped address.
    let Some(address) = address.map(|address| address.to_canonical()) else { return false };
    ranges.iter().filter_map(|text| range(text)).any(|range| range.contains(&address))
}

/// Whether all ranges lie inside ranges of another key, which has no limit if it has no ranges.
pub(crate) fn lie_within(ranges: &[IpNet], outer: &[String]) -> bool {
    let outer: Vec<IpNet> = outer.iter().filter_map(|text| range(text)).collect();
    outer.is_empty() || ranges.iter().all(|range| outer.iter().any(|outer| outer.contains(range)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(ranges: &[&str]) -> Vec<String> {
        ranges.iter().map(|range| (*range).to_owned()).collect()
    }

    #[test]
    fn a_key_works_only_from_its_ranges() {
        let ranges = texts(&["10.0.0.0/8", "2001:db8::/32"]);
        for (address, works) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("11.0.0.1", false),
            ("2001:db8::7", true),
            ("2001:db9::7", false),
        ] {
            assert_eq!(allow(&ranges, address.parse().ok()), works, "{address}");
        }
        assert!(!allow(&ranges, None));
        assert!(allow(&[], None));
    }

    #[test]
    fn an_ipv4_range_may_be_written_in_its_ipv6_form() {
        let read = parse(&texts(&["::ffff:10.1.2.3", "::ffff:10.0.0.0/104", "::ffff:0:0/95"])).unwrap();
        let shown: Vec<String> = read.iter().map(ToString::to_string).collect();
        assert_eq!(shown[..2], ["10.1.2.3/32", "10.0.0.0/8"]);
        assert!(allow(&texts(&["::ffff:10.1.2.3"]), "10.1.2.3".parse().ok()));
        assert!(lie_within(&read[..1], &texts(&["10.0.0.0/8"])));
    }

    #[test]
    fn ranges_are_read_with_and_without_a_prefix() {
        let read = parse(&texts(&["10.1.2.3/8", " 192.0.2.7 "])).unwrap();
        assert_eq!(read.iter().map(ToString::to_string).collect::<Vec<_>>(), ["10.0.0.0/8", "192.0.2.7/32"]);
        assert!(parse(&texts(&["10.0.0.0/33"])).is_err());
        assert!(parse(&texts(&["example.com"])).is_err());
        assert!(parse(&vec!["10.0.0.0/8".to_owned(); 51]).is_err());
    }

    #[test]
    fn ranges_of_a_child_lie_within_those_of_its_parent() {
        let parent = texts(&["10.0.0.0/8"]);
        assert!(lie_within(&parse(&texts(&["10.2.0.0/16"])).unwrap(), &parent));
        assert!(!lie_within(&parse(&texts(&["0.0.0.0/0"])).unwrap(), &parent));
        assert!(lie_within(&parse(&texts(&["0.0.0.0/0"])).unwrap(), &[]));
    }
}

//! Fuzz targets: addresses of webhooks, and signatures.

use std::net::IpAddr;

use reflect_fuzz::{FuzzTarget, join, parts};
use reflect_outbound::AddressGuard;
use secrecy::SecretString;

use crate::sign;
use crate::url::{LONGEST, check};

#[test]
fn an_accepted_address_is_one_that_may_be_reached() {
    let words = &[
        "https://",
        "http://",
        "HTTPS:",
        "hooks.example.com",
        "localhost",
        "127.0.0.1",
        "0x7f.1",
        "2130706433",
        "017700000001",
        "10.1.2.3",
        "169.254.169.254",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::a00:1]",
        "me:secret@",
        "@",
        ":8443",
        "/reflect",
        "?x=y",
        "#part",
        "%2e",
        "。",
        "１２７",
        "\t",
        "\\",
    ];
    let listed = AddressGuard::new(vec!["10.1.0.0/16".parse().expect("a network")]);
    FuzzTarget::new("webhook-urls").words(words).run(
        |source| {
            let start = source.pick_text(&["https://", "https://", "http://", "", "ftp://"]);
            format!("{start}{}", source.text(5))
        },
        |input| {
            let Ok(text) = str::from_utf8(input) else { return };
            for guard in [&AddressGuard::default(), &listed] {
                let Ok(url) = check(text, guard) else { continue };
                assert!(text.len() <= LONGEST && url.fragment().is_none(), "{url}");
                assert!(url.username().is_empty() && url.password().is_none(), "{url}");
                let plain = url.scheme() == "http";
                assert!(url.scheme() == "https" || (plain && guard.has_networks()), "{url}");
                let host = url.host_str().expect("a host");
                let address: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
                let reaches = |address| if plain { guard.is_listed(address) } else { guard.permits(address) };
                assert!(address.is_none_or(reaches), "{url}");
                let name = host.trim_end_matches('.');
                assert!(name != "localhost" && !name.ends_with(".localhost"), "{url}");
                // A client that parses it again must not find another host. It may have become longer.
                if url.as_str().len() <= LONGEST {
                    assert_eq!(check(url.as_str(), guard).as_ref(), Ok(&url), "read again");
                }
            }
        },
    );
}

#[test]
fn each_secret_gives_a_signature_of_its_own() {
    let words = &["whsec_", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "=", "+/", "{}", "msg_1"];
    FuzzTarget::new("webhook-signatures").words(words).run(
        |source| join(&[source.text(3), source.id(), source.json(2)]),
        |input| {
            let Some([secret, id, body]) = parts::<3>(input) else { return };
            let own: SecretString = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into();
            let alone = sign(std::slice::from_ref(&own), id, 7, body.as_bytes());
            let both = sign(&[secret.to_owned().into(), own.clone()], id, 7, body.as_bytes());

            assert!(both.ends_with(&alone) && both.split(' ').all(|one| one.starts_with("v1,")), "{both}");
            assert!(both.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '), "{both:?}");
            assert_ne!(sign(&[own], id, 8, body.as_bytes()), alone, "the time is not signed");
        },
    );
}

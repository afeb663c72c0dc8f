//! Which addresses an endpoint may have.

use std::net::{IpAddr, Ipv4Addr};

use reflect_outbound::AddressGuard;
use reqwest::Url;

pub(crate) const LONGEST: usize = 2000;

/// Why an address cannot be used. The message is the rest of a sentence that begins with the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWebhookUrl {
    /// It is not a URL.
    #[error("must be a URL such as https://hooks.example.com/reflect, with at most 2000 characters")]
    Form,
    /// The scheme is not permitted.
    #[error("must start with https://; plain HTTP is possible only to networks that the operator allows")]
    Scheme,
    /// It contains a user or a password, which would be shown in the list of webhooks.
    #[error("must not contain a user or a password; the receiver checks the signature instead")]
    Credentials,
    /// The host is the proxy of outgoing connections.
    #[error("must not name the proxy of the server")]
    Proxy,
    /// The host is not on the public internet.
    #[error(
        "must name a host on the public internet; the operator can allow further networks with --webhook-networks"
    )]
    Private,
}

/// Reads and checks an address. Names are resolved when a request is sent, not here: by the proxy if there is one (`proxy` is its
/// host), which does not know the networks that the operator allows. So plain HTTP then needs an address in numbers.
pub(crate) fn check(text: &str, guard: &AddressGuard, proxy: Option<&str>) -> Result<Url, InvalidWebhookUrl> {
    let url = Url::parse(text).map_err(|_| InvalidWebhookUrl::Form)?;
    if text.len() > LONGEST || url.fragment().is_some() {
        return Err(InvalidWebhookUrl::Form);
    }
    let plain = match url.scheme() {
        "https" => false,
        "http" if guard.has_networks() => true,
        _ => return Err(InvalidWebhookUrl::Scheme),
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(InvalidWebhookUrl::Credentials);
    }
    let host = url.host_str().ok_or(InvalidWebhookUrl::Form)?;
    // The resolver accepts the name of the proxy with every address.
    if proxy.is_some_and(|proxy| proxy.trim_end_matches('.') == host.trim_end_matches('.')) {
        return Err(InvalidWebhookUrl::Proxy);
    }
    let Some(address) = literal(host) else {
        return if plain && proxy.is_some() { Err(InvalidWebhookUrl::Scheme) } else { Ok(url) };
    };
    match plain {
        true if !guard.is_listed(address) => Err(InvalidWebhookUrl::Scheme),
        false if !guard.permits(address) => Err(InvalidWebhookUrl::Private),
        _ => Ok(url),
    }
}

/// The address of a host that is not resolved: a number, or this machine. The parser of URLs has brought every notation of an
/// IPv4 address, such as 0x7f.1, into the usual one.
fn literal(host: &str) -> Option<IpAddr> {
    let name = host.trim_end_matches('.');
    if name == "localhost" || name.ends_with(".localhost") {
        return Some(Ipv4Addr::LOCALHOST.into());
    }
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str, guard: &AddressGuard) -> Option<InvalidWebhookUrl> {
        check(text, guard, None).err()
    }

    #[test]
    fn behind_a_proxy_plain_http_needs_a_listed_address_and_the_proxy_is_no_receiver() {
        let guard = AddressGuard::new(vec!["10.0.0.0/8".parse().unwrap()]);
        let refused = |text| check(text, &guard, Some("proxy.internal")).err();
        assert_eq!(refused("http://10.0.0.1/"), None);
        assert_eq!(refused("https://a.example/"), None);
        assert_eq!(refused("http://a.example/"), Some(InvalidWebhookUrl::Scheme));
        for own in ["https://proxy.internal:9443/", "http://proxy.internal./", "https://PROXY.internal/"] {
            assert_eq!(refused(own), Some(InvalidWebhookUrl::Proxy), "{own}");
        }
    }

    #[test]
    fn without_further_networks_only_https_to_the_public_internet_is_accepted() {
        let guard = AddressGuard::default();
        for right in ["https://hooks.example.com/reflect", "https://a.example:8443/?x=y", "https://1.1.1.1/"]
        {
            assert_eq!(refused(right, &guard), None, "{right}");
        }
        for (wrong, why) in [
            ("hooks.example.com", InvalidWebhookUrl::Form),
            ("https://", InvalidWebhookUrl::Form),
            ("https://a.example/#part", InvalidWebhookUrl::Form),
            ("http://a.example/", InvalidWebhookUrl::Scheme),
            ("ftp://a.example/", InvalidWebhookUrl::Scheme),
            ("https://me:secret@a.example/", InvalidWebhookUrl::Credentials),
            ("https://127.0.0.1/", InvalidWebhookUrl::Private),
            ("https://0x7f.1/", InvalidWebhookUrl::Private),
            ("https://2130706433/", InvalidWebhookUrl::Private),
            ("https://localhost/", InvalidWebhookUrl::Private),
            ("https://a.localhost./", InvalidWebhookUrl::Private),
            ("https://[::1]/", InvalidWebhookUrl::Private),
            ("https://[::ffff:10.0.0.1]/", InvalidWebhookUrl::Private),
            ("https://169.254.169.254/latest/meta-data", InvalidWebhookUrl::Private),
        ] {
            assert_eq!(refused(wrong, &guard), Some(why), "{wrong}");
        }
        let long = format!("https://a.example/{}", "x".repeat(2000));
        assert_eq!(refused(&long, &guard), Some(InvalidWebhookUrl::Form));
    }

    #[test]
    fn plain_http_reaches_further_networks_only() {
        let guard = AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]);
        assert_eq!(refused("http://127.0.0.1:8080/", &guard), None);
        assert_eq!(refused("http://localhost:8080/", &guard), None);
        assert_eq!(refused("https://127.0.0.1/", &guard), None);
        // A name is checked when it is resolved.
        assert_eq!(refused("http://a.internal/", &guard), None);
        assert_eq!(refused("http://1.1.1.1/", &guard), Some(InvalidWebhookUrl::Scheme));
        assert_eq!(refused("https://10.0.0.1/", &guard), Some(InvalidWebhookUrl::Private));
    }
}

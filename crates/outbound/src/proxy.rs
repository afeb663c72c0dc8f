//! The proxy of outgoing connections.

use std::fmt;

use reqwest::{NoProxy, Proxy, Url};

/// A proxy on another machine cannot reach these.
const THIS_MACHINE: &str = "localhost,127.0.0.0/8,::1";

/// The proxy of outgoing connections, and the hosts that are reached without it.
#[derive(Clone, PartialEq, Eq)]
pub struct OutboundProxy {
    /// With user and password, if the proxy needs them.
    url: Url,
    except: String,
}

/// A proxy that cannot be used. The message does not contain the URL, because it may contain a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidProxy(&'static str);

impl OutboundProxy {
    /// Checks the URL of a proxy. `except` has host names, domains, IP addresses and ranges that are reached without it.
    /// This machine always is.
    ///
    /// ```
    /// use reflect_outbound::OutboundProxy;
    /// let proxy = OutboundProxy::new("http://me:secret@proxy.example:3128", &["models.internal".to_owned()]).unwrap();
    /// assert!(!format!("{proxy:?}").contains("secret"));
    /// assert!(OutboundProxy::new("socks5://proxy.example", &[]).is_err());
    /// ```
    pub fn new(url: &str, except: &[String]) -> Result<Self, InvalidProxy> {
        let form = InvalidProxy("must be a URL such as http://proxy.example:3128");
        let url = Url::parse(url.trim()).map_err(|_| form.clone())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(form);
        }
        if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
            return Err(InvalidProxy("must end with the host and the port"));
        }
        let except = except.iter().map(|host| host.trim()).filter(|host| !host.is_empty());
        let except = std::iter::once(THIS_MACHINE).chain(except).collect::<Vec<_>>().join(",");
        Ok(Self { url, except })
    }

    pub(crate) fn uses_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Its host.
    pub fn host(&self) -> Option<&str> {
        self.url.host_str()
    }

    pub(crate) fn rule(&self) -> Result<Proxy, reqwest::Error> {
        Ok(Proxy::all(self.url.clone())?.no_proxy(NoProxy::from_string(&self.except)))
    }
}

/// Leaves out the user and the password.
impl fmt::Debug for OutboundProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OutboundProxy({}, except {})", self.url.host_str().unwrap_or_default(), self.except)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_a_web_address_without_a_path() {
        for right in ["http://proxy:3128", "https://me:pw@proxy.example/", " http://10.0.0.1:8080"] {
            assert!(OutboundProxy::new(right, &[]).is_ok(), "{right}");
        }
        for wrong in ["proxy:3128", "socks5://proxy", "http://proxy/path", "http://proxy?a=b", "", "http://"]
        {
            let error = OutboundProxy::new(wrong, &[]).unwrap_err().to_string();
            assert!(error.starts_with("must "), "{wrong}: {error}");
        }
    }

    #[test]
    fn this_machine_is_always_reached_directly() {
        let proxy = OutboundProxy::new("http://proxy:1", &[" a.example ".to_owned(), String::new()]).unwrap();
        assert_eq!(proxy.except, "localhost,127.0.0.0/8,::1,a.example");
    }
}

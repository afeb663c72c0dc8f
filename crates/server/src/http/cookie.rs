//! Cookies: the session, the form token, and a sign-in with an identity provider.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

use crate::app::ServerSettings;

/// A cookie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// The session, for all paths.
    Session,
    /// The form token. It proves that a form was sent from a page of this server.
    Form,
    /// The secret of a sign-in at an identity provider. It binds the provider's answer to this browser.
    SignIn,
}

impl Cookie {
    /// With TLS, the prefix makes browsers reject a cookie that another host set.
    fn name(self, secure: bool) -> &'static str {
        match (self, secure) {
            (Self::Session, true) => "__Host-reflect",
            (Self::Session, false) => "reflect",
            (Self::Form, true) => "__Host-reflect-form",
            (Self::Form, false) => "reflect-form",
            (Self::SignIn, true) => "__Host-reflect-sign-in",
            (Self::SignIn, false) => "reflect-sign-in",
        }
    }

    /// The value in the request.
    pub(crate) fn read<'a>(self, headers: &'a HeaderMap, settings: &ServerSettings) -> Option<&'a str> {
        let name = self.name(settings.is_secure());
        let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
        let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// The `Set-Cookie` header. `None` keeps the cookie until the browser closes, 0 seconds deletes it.
    pub(crate) fn set(
        self,
        value: &str,
        seconds: Option<u64>,
        settings: &ServerSettings,
    ) -> Option<HeaderValue> {
        let secure = settings.is_secure();
        // A provider sends the browser back from another site, so its cookie cannot be strict.
        let site = if self == Self::Form { "Strict" } else { "Lax" };
        let mut text = format!("{}={value}; Path=/; HttpOnly; SameSite={site}", self.name(secure));
        if let Some(seconds) = seconds {
            text.push_str(&format!("; Max-Age={seconds}"));
        }
        if secure {
            text.push_str("; Secure");
        }
        HeaderValue::from_str(&text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(public_url: Option<&str>) -> ServerSettings {
        ServerSettings { public_url: public_url.map(str::to_owned), ..ServerSettings::default() }
    }

    #[test]
    fn over_tls_a_cookie_is_bound_to_this_host() {
        let settings = over(Some("https://reflect.example"));
        let kept = Cookie::Session.set("abc", Some(5), &settings).unwrap();
        assert_eq!(kept, "__Host-reflect=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=5; Secure");
        let headers = [(COOKIE, "reflect=evil; __Host-reflect=abc".parse().unwrap())].into_iter().collect();
        assert_eq!(Cookie::Session.read(&headers, &settings), Some("abc"));
    }

    #[test]
    fn over_plain_http_it_has_no_prefix_and_is_not_secure() {
        for settings in [over(None), over(Some("http://127.0.0.1:8000"))] {
            let kept = Cookie::Session.set("abc", None, &settings).unwrap();
            assert_eq!(kept, "reflect=abc; Path=/; HttpOnly; SameSite=Lax");
            let headers = [(COOKIE, "a=b; reflect=abc".parse().unwrap())].into_iter().collect();
            assert_eq!(Cookie::Session.read(&headers, &settings), Some("abc"));
            assert_eq!(Cookie::Form.read(&headers, &settings), None);
        }
    }
}

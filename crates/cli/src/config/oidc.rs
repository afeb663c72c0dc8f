//! The file with the identity providers (`--oidc-file`). docs/how-to/sign-in-with-a-provider.md describes it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reflect_engine::SignInProvider;
use reflect_oidc::{OidcClient, OidcSettings};
use reflect_outbound::OutboundProxy;
use reflect_rules::sign_in::{GroupRole, SignInPolicy};
use secrecy::SecretString;
use serde::Deserialize;

use crate::failure::{Failure, Kind};

/// A working day. After it, the provider is asked again.
const SESSION_HOURS: u16 = 12;

/// What the providers have in common.
#[derive(Debug)]
pub(crate) struct OidcContext<'a> {
    /// The address of this server, without a path.
    pub(crate) public_url: &'a str,
    pub(crate) base_path: &'a str,
    pub(crate) proxy: Option<&'a OutboundProxy>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OidcFile {
    session_hours: Option<u16>,
    #[serde(default)]
    provider: Vec<OidcEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OidcEntry {
    name: String,
    label: Option<String>,
    issuer: String,
    client_id: String,
    client_secret: Option<String>,
    client_secret_file: Option<PathBuf>,
    scopes: Option<Vec<String>>,
    groups_claim: Option<String>,
    #[serde(default)]
    endpoint_hosts: Vec<String>,
    #[serde(default)]
    allowed_domains: Vec<String>,
    #[serde(default)]
    required_claims: BTreeMap<String, String>,
    #[serde(default)]
    groups: BTreeMap<String, String>,
    default_role: Option<String>,
}

/// Reads the providers of a file. Nothing is sent.
pub(crate) fn providers(path: &Path, context: &OidcContext<'_>) -> Result<Vec<SignInProvider>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| wrong(path, &error.to_string()))?;
    let providers = parse(&text, context).map_err(|problem| wrong(path, &problem))?;
    let mode = std::fs::metadata(path).map(|facts| facts.permissions().mode());
    if text.contains("client_secret =") && mode.is_ok_and(|mode| mode & 0o077 != 0) {
        tracing::warn!("{} contains a secret and other users can read it; run `chmod 600`", path.display());
    }
    Ok(providers)
}

fn wrong(path: &Path, problem: &str) -> Failure {
    let message = format!("--oidc-file {} cannot be used: {problem}", path.display());
    Failure::new(Kind::Configuration, "configuration", message)
        .fix("correct the file; docs/how-to/sign-in-with-a-provider.md describes it")
}

fn parse(text: &str, context: &OidcContext<'_>) -> Result<Vec<SignInProvider>, String> {
    let file: OidcFile = toml::from_str(text).map_err(|error| error.to_string())?;
    let hours = file.session_hours.unwrap_or(SESSION_HOURS);
    if !(1..=168).contains(&hours) {
        return Err(format!("session_hours is {hours}; it must be 1 to 168"));
    }
    if file.provider.is_empty() {
        return Err("it has no [[provider]]".to_owned());
    }
    let session_lasts = Duration::from_secs(u64::from(hours) * 60 * 60);
    let mut providers: Vec<SignInProvider> = Vec::new();
    for entry in file.provider {
        let name = entry.name.clone();
        let provider = entry.provider(context, session_lasts);
        let provider = provider.map_err(|problem| format!("provider {name:?}: {problem}"))?;
        if providers.iter().any(|other| other.client.name() == name) {
            return Err(format!("two providers have the name {name:?}"));
        }
        providers.push(provider);
    }
    Ok(providers)
}

impl OidcEntry {
    fn provider(self, context: &OidcContext<'_>, session_lasts: Duration) -> Result<SignInProvider, String> {
        let policy = self.policy()?;
        let client_secret = self.secret()?;
        let here = format!("{}{}", context.public_url, context.base_path);
        let usual = || ["email", "profile"].map(str::to_owned).to_vec();
        let client = OidcClient::new(OidcSettings {
            redirect_url: format!("{here}/login/{}/callback", self.name),
            signed_out_url: format!("{here}/login"),
            name: self.name.clone(),
            issuer: self.issuer,
            client_id: self.client_id,
            client_secret,
            scopes: self.scopes.unwrap_or_else(usual),
            groups_claim: self.groups_claim.unwrap_or_else(|| "groups".to_owned()),
            endpoint_hosts: self.endpoint_hosts,
            proxy: context.proxy.cloned(),
        });
        let client = client.map_err(|error| error.to_string())?;
        Ok(SignInProvider { label: self.label.unwrap_or(self.name), client, policy, session_lasts })
    }

    fn secret(&self) -> Result<Option<SecretString>, String> {
        match (&self.client_secret, &self.client_secret_file) {
            (Some(_), Some(_)) => Err("set client_secret or client_secret_file, not both".to_owned()),
            (secret, None) => Ok(secret.clone().map(SecretString::from)),
            (None, Some(path)) => {
                let text = std::fs::read_to_string(path);
                let text = text.map_err(|error| format!("client_secret_file {}: {error}", path.display()))?;
                Ok(Some(text.trim().to_owned().into()))
            }
        }
    }

    /// Without groups, only the domain separates members from everyone who has an account at the provider.
    fn policy(&self) -> Result<SignInPolicy, String> {
        if self.groups.is_empty() && self.default_role.is_none() {
            return Err("it gives no role: set groups, or default_role and allowed_domains".to_owned());
        }
        if self.default_role.is_some() && self.allowed_domains.is_empty() {
            let problem =
                "default_role gives a role to every account of the provider: set allowed_domains too";
            return Err(problem.to_owned());
        }
        let role = |text: &String| text.parse::<GroupRole>();
        let groups = self.groups.iter().map(|(group, text)| Ok((group.clone(), role(text)?)));
        let domains = self.allowed_domains.iter().map(|domain| match domain.contains(['@', '*', ' ']) {
            true => Err(format!("allowed_domains has {domain:?}; write example.com")),
            false => Ok(domain.to_ascii_lowercase()),
        });
        Ok(SignInPolicy {
            allowed_domains: domains.collect::<Result<_, String>>()?,
            required_claims: self.required_claims.clone(),
            groups: groups.collect::<Result<_, String>>()?,
            default_role: self.default_role.as_ref().map(role).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTEXT: OidcContext<'static> =
        OidcContext { public_url: "https://reflect.example", base_path: "/pre", proxy: None };

    fn with(lines: &str) -> Result<Vec<SignInProvider>, String> {
        let file = format!(
            "[[provider]]\nname = \"corp\"\nissuer = \"https://sso.example\"\nclient_id = \"reflect\"\n{lines}"
        );
        parse(&file, &CONTEXT)
    }

    #[test]
    fn a_provider_has_groups_with_roles() {
        let lines = "label = \"Example SSO\"\nallowed_domains = [\"Example.com\"]\n\
                     [provider.groups]\nadmins = \"admin\"\nsupport = \"reviewer@support-bot\"";
        let providers = with(lines).unwrap();

        let corp = &providers[0];
        assert_eq!((corp.label.as_str(), corp.client.name()), ("Example SSO", "corp"));
        assert_eq!(corp.session_lasts, Duration::from_secs(12 * 60 * 60));
        assert_eq!(corp.policy.allowed_domains, ["example.com"]);
        assert_eq!(corp.policy.groups["support"].project.as_ref().unwrap().as_str(), "support-bot");
    }

    #[test]
    fn several_providers_have_different_names() {
        let entry = |name: &str| {
            format!(
                "[[provider]]\nname = \"{name}\"\nissuer = \"https://sso.example\"\nclient_id = \"r\"\n\
                 groups = {{ a = \"viewer\" }}\n"
            )
        };
        let both = parse(&format!("session_hours = 8\n{}{}", entry("one"), entry("two")), &CONTEXT).unwrap();
        assert_eq!((both.len(), both[1].session_lasts), (2, Duration::from_secs(8 * 60 * 60)));
        let twice = parse(&format!("{}{}", entry("one"), entry("one")), &CONTEXT).unwrap_err();
        assert!(twice.contains("two providers have the name"), "{twice}");
    }

    #[test]
    fn a_file_that_lets_everyone_in_or_is_misspelled_is_refused() {
        for (lines, problem) in [
            ("", "it gives no role"),
            ("default_role = \"viewer\"", "set allowed_domains too"),
            ("groups = { a = \"owner\" }", "\"owner\""),
            ("group = { a = \"viewer\" }", "unknown field"),
            ("default_role = \"viewer\"\nallowed_domains = [\"@example.com\"]", "write example.com"),
            ("groups = { a = \"viewer\" }\nclient_secret = \"s\"\nclient_secret_file = \"f\"", "not both"),
        ] {
            let error = with(lines).unwrap_err();
            assert!(error.contains(problem), "{lines}: {error}");
        }
        assert!(parse("session_hours = 0", &CONTEXT).unwrap_err().contains("1 to 168"));
        assert!(parse("", &CONTEXT).unwrap_err().contains("[[provider]]"));
    }

    #[test]
    fn an_issuer_needs_tls_except_on_this_machine() {
        let issuer = |url: &str| {
            let file = format!(
                "[[provider]]\nname = \"corp\"\nissuer = \"{url}\"\nclient_id = \"r\"\ngroups = {{ a = \"viewer\" }}"
            );
            parse(&file, &CONTEXT).map(drop)
        };
        for right in ["https://sso.example/realms/main", "http://127.0.0.1:9000", "http://localhost:9000"] {
            assert_eq!(issuer(right), Ok(()), "{right}");
        }
        for wrong in ["http://sso.example", "sso.example", "https://sso.example?x=1", "ftp://sso.example"] {
            assert!(issuer(wrong).unwrap_err().contains("issuer"), "{wrong}");
        }
    }
}

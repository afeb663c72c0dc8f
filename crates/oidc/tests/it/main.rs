//! The client against an identity provider in the process.

use reflect_oidc::{OidcClient, OidcError, OidcSettings, PendingSignIn, ProviderAnswer, VerifiedIdentity};
use reflect_outbound::OutboundProxy;
use reflect_test_support::ScriptedIdentityProvider;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;

fn settings(issuer: &str) -> OidcSettings {
    OidcSettings {
        name: "corp".to_owned(),
        issuer: issuer.to_owned(),
        client_id: ScriptedIdentityProvider::CLIENT_ID.to_owned(),
        client_secret: Some("secret".into()),
        scopes: vec!["email".to_owned()],
        groups_claim: "groups".to_owned(),
        endpoint_hosts: Vec::new(),
        redirect_url: "https://reflect.example/login/corp/callback".to_owned(),
        signed_out_url: "https://reflect.example/login".to_owned(),
        proxy: None,
    }
}

/// The answer in the query of a redirect.
fn answer(query: &str) -> ProviderAnswer {
    let field = |name: &str| {
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
    };
    ProviderAnswer {
        code: field("code"),
        state: field("state"),
        iss: field("iss"),
        ..ProviderAnswer::default()
    }
}

/// Signs in from the start to the end.
async fn sign_in(
    client: &OidcClient,
    provider: &ScriptedIdentityProvider,
) -> Result<VerifiedIdentity, OidcError> {
    let pending = PendingSignIn::start(client.name());
    let url = client.authorize_url(&pending).await?;
    client.identity(&pending, &answer(&provider.approve(&url))).await
}

#[tokio::test]
async fn a_person_signs_in_with_the_claims_of_both_sources() {
    let provider = ScriptedIdentityProvider::start().await;
    provider.id_token(json!({ "name": "Ana", "groups": ["support"], "hd": "example.com" }));
    provider.userinfo(json!({ "name": "Eve", "email": "ana@example.com", "email_verified": true }));
    let client = OidcClient::new(settings(&provider.issuer)).unwrap();

    let ana = sign_in(&client, &provider).await.unwrap();

    assert_eq!((ana.issuer.as_str(), ana.subject.as_str()), (provider.issuer.as_str(), "1234"));
    assert_eq!((ana.name.as_deref(), ana.verified_email.as_deref()), (Some("Ana"), Some("ana@example.com")));
    assert_eq!((ana.groups, ana.texts["hd"].as_str()), (vec!["support".to_owned()], "example.com"));
    let end = client.sign_out_url(ana.id_token.as_deref()).await.unwrap();
    assert!(end.starts_with(&format!("{}/end?id_token_hint=", provider.issuer)), "{end}");
    assert!(end.contains("post_logout_redirect_uri=https%3A%2F%2Freflect.example%2Flogin"), "{end}");
}

#[tokio::test]
async fn a_token_that_fails_a_check_signs_in_no_person() {
    let provider = ScriptedIdentityProvider::start().await;
    let client = OidcClient::new(settings(&provider.issuer)).unwrap();
    for wrong in [
        json!({ "aud": "another-client" }),
        json!({ "aud": ["reflect", "another-client"] }),
        json!({ "iss": "https://evil.example" }),
        json!({ "nonce": "of another sign-in" }),
        json!({ "nonce": Value::Null }),
        json!({ "exp": 1_000_000_000 }),
    ] {
        provider.id_token(wrong.clone());
        let error = sign_in(&client, &provider).await.unwrap_err();
        assert!(matches!(error, OidcError::InvalidToken(_)), "{wrong}: {error}");
    }
}

#[tokio::test]
async fn claims_of_another_person_are_not_added() {
    let provider = ScriptedIdentityProvider::start().await;
    provider.userinfo(json!({ "sub": "9999", "email": "boss@example.com", "email_verified": true }));
    let client = OidcClient::new(settings(&provider.issuer)).unwrap();

    let ana = sign_in(&client, &provider).await.unwrap();

    assert_eq!((ana.subject.as_str(), ana.verified_email), ("1234", None));
}

#[tokio::test]
async fn an_answer_for_another_browser_or_provider_is_refused_before_the_code_is_used() {
    let provider = ScriptedIdentityProvider::start().await;
    let client = OidcClient::new(settings(&provider.issuer)).unwrap();
    let pending = PendingSignIn::start("corp");
    let query = provider.approve(&client.authorize_url(&pending).await.unwrap());

    let foreign = client.identity(&PendingSignIn::start("corp"), &answer(&query)).await;
    assert_eq!(foreign, Err(OidcError::WrongState));
    let mixed = ProviderAnswer { iss: Some("https://evil.example".to_owned()), ..answer(&query) };
    assert!(matches!(client.identity(&pending, &mixed).await, Err(OidcError::Unusable(_))));
    let denied = ProviderAnswer { code: None, error: Some("access_denied".to_owned()), ..answer(&query) };
    assert_eq!(client.identity(&pending, &denied).await, Err(OidcError::Refused("access_denied".to_owned())));

    assert!(client.identity(&pending, &answer(&query)).await.is_ok(), "the code is still valid");
    let replayed = client.identity(&pending, &answer(&query)).await;
    assert!(matches!(replayed, Err(OidcError::Refused(_))), "{replayed:?}");
}

#[tokio::test]
async fn new_keys_are_fetched_once_and_not_again_at_once() {
    let provider = ScriptedIdentityProvider::start().await;
    let client = OidcClient::new(settings(&provider.issuer)).unwrap();
    sign_in(&client, &provider).await.unwrap();
    assert_eq!(provider.keys_fetched(), 1);

    provider.rotate_keys();
    sign_in(&client, &provider).await.unwrap();
    assert_eq!(provider.keys_fetched(), 2);

    provider.rotate_keys();
    let soon = sign_in(&client, &provider).await;
    assert!(matches!(soon, Err(OidcError::InvalidToken(_))), "{soon:?}");
    assert_eq!(provider.keys_fetched(), 2);
}

#[tokio::test]
async fn the_provider_cannot_choose_other_addresses() {
    let provider = ScriptedIdentityProvider::start().await;
    for field in ["token_endpoint", "jwks_uri"] {
        provider.discovery(json!({ field: "http://169.254.169.254/latest" }));
        let client = OidcClient::new(settings(&provider.issuer)).unwrap();
        let error = sign_in(&client, &provider).await.unwrap_err();
        assert!(error.to_string().contains("endpoint_hosts"), "{field}: {error}");
    }
    for wrong in ["javascript:alert(1)", "https://sso.example/authorize"] {
        provider.discovery(json!({ "authorization_endpoint": wrong }));
        let client = OidcClient::new(settings(&provider.issuer)).unwrap();
        let error = sign_in(&client, &provider).await.unwrap_err();
        assert!(matches!(error, OidcError::Unusable(_)), "{wrong}: {error}");
    }
    provider.discovery(json!({ "issuer": "https://evil.example" }));
    let client = OidcClient::new(settings(&provider.issuer)).unwrap();
    assert!(matches!(sign_in(&client, &provider).await, Err(OidcError::Unusable(_))));
}

#[tokio::test]
async fn a_response_without_end_is_cut() {
    let provider = ScriptedIdentityProvider::start().await;
    provider.discovery(json!({ "op_tos_uri": format!("https://a.example/{}", "a".repeat(600_000)) }));
    let client = OidcClient::new(settings(&provider.issuer)).unwrap();

    let error = sign_in(&client, &provider).await.unwrap_err();

    assert!(error.to_string().contains("512 kilobytes"), "{error}");
}

#[tokio::test]
async fn a_provider_that_does_not_respond_is_named_and_not_asked_again_at_once() {
    let client = OidcClient::new(settings("http://127.0.0.1:9")).unwrap();
    let pending = PendingSignIn::start("corp");

    let error = client.authorize_url(&pending).await.unwrap_err();

    assert!(matches!(error, OidcError::Unreachable(_)), "{error}");
    assert_eq!(client.authorize_url(&pending).await, Err(error));
    assert_eq!(client.sign_out_url(None).await, None);
}

#[tokio::test]
async fn the_provider_is_reached_through_the_proxy() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = OutboundProxy::new(&format!("http://{}", listener.local_addr().unwrap()), &[]).unwrap();
    let through = OidcSettings { proxy: Some(proxy), ..settings("https://sso.invalid") };
    let client = OidcClient::new(through).unwrap();
    let asked = async {
        let mut line = String::new();
        BufReader::new(listener.accept().await.unwrap().0).read_line(&mut line).await.unwrap();
        line
    };

    let pending = PendingSignIn::start("corp");
    let (line, url) = tokio::join!(asked, client.authorize_url(&pending));

    assert_eq!(line.trim(), "CONNECT sso.invalid:443 HTTP/1.1");
    assert!(matches!(url, Err(OidcError::Unreachable(_))), "the proxy closed the connection: {url:?}");
}

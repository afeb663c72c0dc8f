//! Sign-in with an identity provider, over HTTP.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use reflect_engine::{EngineSettings, SignInProvider};
use reflect_oidc::{OidcClient, OidcSettings};
use reflect_rules::sign_in::SignInPolicy;
use reflect_server::ServerSettings;
use reflect_store::AuditActor;
use reflect_test_support::{
    ScriptedIdentityProvider, TestApp, TestResponse, browser_request, scripted_models, send,
};
use reflect_types::MemberName;
use serde_json::{Value, json};

const SESSION: &str = "/console/api/session";

/// An application whose members sign in with a provider.
struct Signing {
    app: TestApp,
    provider: ScriptedIdentityProvider,
}

impl Signing {
    async fn start() -> Self {
        let provider = ScriptedIdentityProvider::start().await;
        let client = OidcClient::new(OidcSettings {
            name: "corp".to_owned(),
            issuer: provider.issuer.clone(),
            client_id: ScriptedIdentityProvider::CLIENT_ID.to_owned(),
            client_secret: Some("secret".into()),
            scopes: Vec::new(),
            groups_claim: "groups".to_owned(),
            endpoint_hosts: Vec::new(),
            redirect_url: "http://reflect.example/login/corp/callback".to_owned(),
            signed_out_url: "http://reflect.example/login".to_owned(),
            proxy: None,
        })
        .unwrap();
        let policy = SignInPolicy {
            allowed_domains: vec!["example.com".to_owned()],
            groups: BTreeMap::from([
                ("admins".to_owned(), "admin".parse().unwrap()),
                ("support".to_owned(), "reviewer@support".parse().unwrap()),
                ("ghosts".to_owned(), "admin@no-such-project".parse().unwrap()),
            ]),
            ..SignInPolicy::default()
        };
        let label = "Example SSO".to_owned();
        let session_lasts = Duration::from_secs(3600);
        let settings = EngineSettings {
            sign_in_providers: vec![SignInProvider { label, client, policy, session_lasts }],
            ..EngineSettings::default()
        };
        let app = TestApp::with_engine(scripted_models(), settings, ServerSettings::default()).await;
        let slug = "support".parse().unwrap();
        app.app.engine().store.catalogue().ensure_project(&slug, &operator()).await.unwrap();
        Self { app, provider }
    }

    /// What the provider says about a person.
    fn claims(&self, subject: &str, name: &str, groups: &[&str], more: Value) {
        let mut claims = json!({
            "sub": subject, "name": name, "groups": groups, "email": "someone@example.com", "email_verified": true,
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            claims[name] = value.clone();
        }
        self.provider.id_token(claims);
    }

    /// Signs in from the start to the end. Returns the last response.
    async fn sign_in(&self) -> TestResponse {
        let started = get(&self.app, "/login/corp", None).await.expect(303);
        let secret = cookie(&started, "reflect-sign-in");
        let query = self.provider.approve(started.header("location").unwrap());
        get(&self.app, &format!("/login/corp/callback?{query}"), Some(&format!("reflect-sign-in={secret}")))
            .await
    }

    /// Signs in and returns the session.
    async fn session(&self) -> String {
        let answer = self.sign_in().await.expect(303);
        assert_eq!(answer.header("location"), Some("/"));
        cookie(&answer, "reflect")
    }

    async fn me(&self, session: &str) -> TestResponse {
        self.app.browser().send("GET", SESSION, Some(session), None).await
    }

    /// Why a sign-in is refused.
    async fn refused(&self) -> String {
        let page = self.sign_in().await.expect(403);
        assert_eq!(cookie(&page, "reflect"), "", "no session");
        String::from_utf8_lossy(&page.bytes).into_owned()
    }
}

fn operator() -> AuditActor {
    AuditActor::local("operator")
}

async fn get(app: &TestApp, path: &str, cookies: Option<&str>) -> TestResponse {
    let request = Request::get(path).header("accept", "text/html").header("cookie", cookies.unwrap_or("a=b"));
    app.call(request.body(Body::empty()).unwrap()).await
}

/// The value of a cookie that a response sets; empty if it sets none or deletes it.
fn cookie(answer: &TestResponse, name: &str) -> String {
    let start = format!("{name}=");
    let set = answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
    let found = set.filter_map(|text| text.strip_prefix(&start)).next().unwrap_or_default();
    found.split(';').next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn groups_give_a_new_member_their_roles() {
    let test = Signing::start().await;
    test.claims("1", "Ana Pérez", &["support"], json!({}));

    let page = get(&test.app, "/login", None).await.expect(200);
    let session = test.session().await;

    assert!(String::from_utf8_lossy(&page.bytes).contains("Sign in with Example SSO"));
    let me = test.me(&session).await.expect(200).json();
    assert_eq!(me["member"]["name"], "Ana Pérez");
    assert_eq!(me["projects"][0]["project_id"], "support");
    assert_eq!(me["projects"].as_array().unwrap().len(), 1);
    assert_eq!(me["session"]["provider"], "corp");
    let again = test.session().await;
    assert_eq!(
        test.me(&again).await.expect(200).json()["member"]["id"],
        me["member"]["id"],
        "the same member"
    );
}

#[tokio::test]
async fn roles_follow_the_groups_at_every_sign_in() {
    let test = Signing::start().await;
    test.claims("1", "Ana", &["support"], json!({}));
    test.session().await;

    test.claims("1", "Ana", &["admins"], json!({}));
    let promoted = test.session().await;
    assert_eq!(test.me(&promoted).await.expect(200).json()["member"]["manages_members"], true);

    test.claims("1", "Ana", &["support"], json!({}));
    let back = test.session().await;
    assert_eq!(test.me(&back).await.expect(200).json()["member"]["manages_members"], false);
}

#[tokio::test]
async fn a_wrong_domain_an_unverified_address_and_no_group_are_refused_with_the_reason() {
    let test = Signing::start().await;
    for (groups, more, reason) in [
        (vec!["admins"], json!({ "email": "eve@evil.example" }), "addresses of evil.example may not sign in"),
        (vec!["admins"], json!({ "email_verified": false }), "did not confirm your e-mail address"),
        (vec!["other"], json!({}), "None of your groups at Example SSO has access"),
        (vec!["ghosts"], json!({}), "None of your groups at Example SSO has access"),
    ] {
        test.claims("1", "Eve", &groups, more);
        let page = test.refused().await;
        assert!(page.contains(reason), "{reason}: {page}");
    }
    assert!(!test.app.app.engine().store.members().any().await.unwrap());
}

#[tokio::test]
async fn a_removed_group_ends_all_sessions_and_a_returned_group_restores_the_member() {
    let test = Signing::start().await;
    test.claims("1", "Bo", &["support"], json!({}));
    let session = test.session().await;
    test.me(&session).await.expect(200);

    test.claims("1", "Bo", &[], json!({}));
    test.refused().await;
    test.me(&session).await.expect(401);

    test.claims("1", "Bo", &["support"], json!({}));
    test.me(&test.session().await).await.expect(200);
}

#[tokio::test]
async fn a_member_whom_an_admin_disabled_stays_out() {
    let test = Signing::start().await;
    test.claims("1", "Cy", &["support"], json!({}));
    let session = test.session().await;
    let engine = test.app.app.engine();
    let cy = engine.access.authenticate_session(&session).await.unwrap().member().member_id;
    engine.store.members().set_disabled(cy, true, &operator()).await.unwrap();

    let page = test.refused().await;
    assert!(page.contains("Your account Cy is disabled"), "{page}");
    test.claims("1", "Cy", &[], json!({}));
    test.refused().await;
    test.claims("1", "Cy", &["support"], json!({}));
    test.refused().await;
}

#[tokio::test]
async fn two_people_with_one_name_are_two_members() {
    let test = Signing::start().await;
    let ana: MemberName = "Ana".parse().unwrap();
    let engine = test.app.app.engine();
    engine.members.create_link_as_operator(&ana, Some("admin".parse().unwrap()), &operator()).await.unwrap();

    test.claims("1", "Ana", &["support"], json!({ "email": "ana@example.com" }));
    let second = test.session().await;

    let me = test.me(&second).await.expect(200).json();
    assert_eq!(me["member"]["name"], "Ana (ana@example.com)");
}

#[tokio::test]
async fn only_the_operator_connects_an_existing_member() {
    let test = Signing::start().await;
    let (ana, second): (MemberName, MemberName) = ("ana".parse().unwrap(), "Ana Pérez".parse().unwrap());
    let engine = test.app.app.engine();
    engine.members.create_link_as_operator(&ana, Some("viewer".parse().unwrap()), &operator()).await.unwrap();
    test.claims("1", "Ana Pérez", &["admins"], json!({}));
    let before = test.session().await;

    engine.provider_sign_in.take_over(&ana, &second, &operator()).await.unwrap();

    let (_, other_process) = test.app.another().await;
    let request = browser_request("GET", SESSION, Some(&before), None);
    send(&other_process, request).await.expect(401);
    let me = test.me(&test.session().await).await.expect(200).json();
    assert_eq!((&me["member"]["name"], &me["member"]["manages_members"]), (&json!("ana"), &json!(true)));
    engine.provider_sign_in.connect(&ana, &test.provider.issuer, "2", &operator()).await.unwrap();
    test.claims("2", "Bo", &["admins"], json!({}));
    assert_eq!(test.me(&test.session().await).await.expect(200).json()["member"]["name"], "ana");
    assert!(engine.provider_sign_in.take_over(&ana, &ana, &operator()).await.is_err());
}

#[tokio::test]
async fn an_answer_without_the_cookie_of_this_browser_is_refused() {
    let test = Signing::start().await;
    test.claims("1", "Ana", &["admins"], json!({}));
    let started = get(&test.app, "/login/corp", None).await.expect(303);
    let set = started.header("set-cookie").unwrap();
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Lax") && set.contains("Max-Age=600"), "{set}");
    let query = test.provider.approve(started.header("location").unwrap());

    for cookies in
        [None, Some("reflect-sign-in=forged"), Some(&*format!("reflect-sign-in={}", "a".repeat(43)))]
    {
        let page = get(&test.app, &format!("/login/corp/callback?{query}"), cookies).await.expect(401);
        assert!(String::from_utf8_lossy(&page.bytes).contains("started in another browser"));
    }
    get(&test.app, "/login/nowhere", None).await.expect(404);
}

#[tokio::test]
async fn a_sign_out_offers_the_provider() {
    let test = Signing::start().await;
    test.claims("1", "Ed", &["support"], json!({}));
    let session = test.session().await;
    let request = Request::post("/logout")
        .header("sec-fetch-site", "same-origin")
        .header("cookie", format!("reflect-form=tok; reflect={session}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from("form=tok"))
        .unwrap();

    let page = test.app.call(request).await.expect(200);

    let html = String::from_utf8_lossy(&page.bytes).into_owned();
    assert!(html.contains("Sign out at Example SSO") && html.contains("/end?id_token_hint="), "{html}");
    test.me(&session).await.expect(401);
    let mut database = test.app.db.superuser().await;
    let kept: i64 = sqlx::query_scalar("select count(*) from session where id_token is not null")
        .fetch_one(&mut database)
        .await
        .unwrap();
    assert_eq!(kept, 0, "the ID token is removed");
}

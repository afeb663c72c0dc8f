//! An identity provider in the process: discovery, keys, tokens with PKCE, userinfo. A test changes its claims and keys.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use openidconnect::core::{
    CoreEdDsaPrivateSigningKey, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm,
};
use openidconnect::url::Url;
use openidconnect::{
    AdditionalClaims, IdToken, IdTokenClaims, JsonWebKeyId, PkceCodeChallenge, PkceCodeVerifier,
    PrivateSigningKey,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use uuid::Uuid;

/// Two private keys of Ed25519: 32 bytes of 1, and 32 bytes of 2.
const KEYS: [&str; 2] = [
    "MC4CAQAwBQYDK2VwBCIEIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
    "MC4CAQAwBQYDK2VwBCIEIAICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIC",
];

#[derive(Debug, Clone, Serialize, Deserialize)]
struct ScriptedClaims {
    #[serde(flatten)]
    all: BTreeMap<String, Value>,
}

impl AdditionalClaims for ScriptedClaims {}

type ScriptedToken =
    IdToken<ScriptedClaims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;

/// An identity provider that follows a script.
#[derive(Debug)]
pub struct ScriptedIdentityProvider {
    /// Its issuer.
    pub issuer: String,
    script: Arc<Mutex<Script>>,
    _server: JoinSet<()>,
}

#[derive(Debug, Default)]
struct Script {
    issuer: String,
    /// Claims that are added to the ID token, or replace its own.
    id_token: Value,
    userinfo: Value,
    /// Fields that replace those of the discovery document.
    discovery: Value,
    /// How often the keys were replaced.
    rotations: usize,
    keys_fetched: usize,
    /// Nonce and PKCE challenge by code.
    codes: HashMap<String, (String, String)>,
}

type SharedScript = Arc<Mutex<Script>>;

impl ScriptedIdentityProvider {
    /// The client id that it expects.
    pub const CLIENT_ID: &'static str = "reflect";

    /// Starts it on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let issuer = format!("http://{}", listener.local_addr().expect("an address"));
        let script = Arc::new(Mutex::new(Script { issuer: issuer.clone(), ..Script::default() }));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/userinfo", get(userinfo))
            .with_state(script.clone());
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.expect("the provider serves") });
        Self { issuer, script, _server: server }
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().expect("no test panics while it holds the script")
    }

    /// Sets claims of the ID token. They replace the valid ones: `aud`, `nonce`, `exp`, …
    pub fn id_token(&self, claims: Value) {
        self.script().id_token = claims;
    }

    /// Sets the claims of the userinfo endpoint.
    pub fn userinfo(&self, claims: Value) {
        self.script().userinfo = claims;
    }

    /// Replaces fields of the discovery document.
    pub fn discovery(&self, fields: Value) {
        self.script().discovery = fields;
    }

    /// Signs with another key. The old one is not published any more.
    pub fn rotate_keys(&self) {
        self.script().rotations += 1;
    }

    /// How often the keys were fetched.
    pub fn keys_fetched(&self) -> usize {
        self.script().keys_fetched
    }

    /// What a person does at the provider: agrees to the request at this URL. Returns the query of the redirect.
    pub fn approve(&self, authorize_url: &str) -> String {
        let url = Url::parse(authorize_url).expect("a URL");
        let sent: HashMap<String, String> = url.query_pairs().into_owned().collect();
        assert_eq!(
            (sent["response_type"].as_str(), sent["code_challenge_method"].as_str()),
            ("code", "S256")
        );
        let code = Uuid::now_v7().simple().to_string();
        let kept = (sent["nonce"].clone(), sent["code_challenge"].clone());
        self.script().codes.insert(code.clone(), kept);
        format!("code={code}&state={}&iss={}", sent["state"], self.issuer)
    }
}

impl Script {
    fn key(&self) -> CoreEdDsaPrivateSigningKey {
        let pem =
            format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", KEYS[self.rotations % 2]);
        let kid = JsonWebKeyId::new(format!("key-{}", self.rotations));
        CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(kid)).expect("a valid key")
    }

    fn signed(&self, nonce: &str) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs();
        let valid = json!({
            "iss": self.issuer,
            "aud": ScriptedIdentityProvider::CLIENT_ID,
            "sub": "1234",
            "nonce": nonce,
            "iat": now,
            "exp": now + 300,
        });
        let claims: IdTokenClaims<ScriptedClaims, CoreGenderClaim> =
            serde_json::from_value(with(valid, &self.id_token)).expect("claims of an ID token");
        let token = ScriptedToken::new(claims, &self.key(), CoreJwsSigningAlgorithm::EdDsa, None, None);
        token.expect("a signed token").to_string()
    }
}

/// The object with the fields of another one.
fn with(mut object: Value, fields: &Value) -> Value {
    for (name, value) in fields.as_object().into_iter().flatten() {
        object[name] = value.clone();
    }
    object
}

fn locked(script: &SharedScript) -> MutexGuard<'_, Script> {
    script.lock().expect("no test panics while it holds the script")
}

async fn discovery(State(script): State<SharedScript>) -> Json<Value> {
    let script = locked(&script);
    let issuer = &script.issuer;
    let document = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "jwks_uri": format!("{issuer}/keys"),
        "end_session_endpoint": format!("{issuer}/end"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["EdDSA", "HS256", "none"],
    });
    Json(with(document, &script.discovery))
}

async fn keys(State(script): State<SharedScript>) -> Json<Value> {
    let mut script = locked(&script);
    script.keys_fetched += 1;
    Json(json!({ "keys": [script.key().as_verification_key()] }))
}

async fn token(
    State(script): State<SharedScript>,
    headers: HeaderMap,
    Form(sent): Form<HashMap<String, String>>,
) -> Response {
    let mut script = locked(&script);
    let Some((nonce, challenge)) = script.codes.remove(&sent["code"]) else {
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" }))).into_response();
    };
    let verifier = PkceCodeVerifier::new(sent.get("code_verifier").cloned().unwrap_or_default());
    let is_same = PkceCodeChallenge::from_code_verifier_sha256(&verifier).as_str() == challenge;
    if !is_same || !headers.contains_key("authorization") {
        return (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_client" }))).into_response();
    }
    let id_token = script.signed(&nonce);
    Json(json!({ "access_token": "opaque", "token_type": "Bearer", "id_token": id_token })).into_response()
}

async fn userinfo(State(script): State<SharedScript>) -> Json<Value> {
    Json(with(json!({ "sub": "1234" }), &locked(&script).userinfo))
}

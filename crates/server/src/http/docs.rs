//! The API description as a page. All its files come from this server, so it works without internet access and
//! sends nothing to third parties.

use std::sync::Arc;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::error::ApiError;

const PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Reflect API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"#;

// No validator: the page would otherwise send the description's address to a public service.
const START: &str = r##"SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#docs",
  deepLinking: true,
  validatorUrl: null,
  tryItOutEnabled: true,
  persistAuthorization: false,
});
"##;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                      img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

pub(crate) async fn page() -> Response {
    let headers = [(CONTENT_TYPE, "text/html; charset=utf-8"), (CONTENT_SECURITY_POLICY, POLICY)];
    (headers, PAGE).into_response()
}

pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, ApiError> {
    let cached = (CACHE_CONTROL, "public, max-age=86400");
    match name.as_str() {
        "start.js" => Ok(([(CONTENT_TYPE, "text/javascript"), cached], START).into_response()),
        "swagger-ui.css" | "swagger-ui-bundle.js" => {
            let config = Arc::new(utoipa_swagger_ui::Config::from("openapi.json"));
            let asset = utoipa_swagger_ui::serve(&name, config).ok().flatten();
            let asset = asset.ok_or_else(|| ApiError::not_found("file"))?;
            Ok(([(CONTENT_TYPE, asset.content_type.as_str()), cached], asset.bytes.into_owned())
                .into_response())
        }
        _ => Err(ApiError::not_found("file")),
    }
}

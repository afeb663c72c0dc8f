//! The documentation page asks nobody but this server for anything.

use reflect_test_support::TestApp;

#[tokio::test]
async fn the_page_and_all_it_loads_come_from_here() {
    let app = TestApp::start().await;
    let page = app.send("GET", "/docs", None, &[], None).await.expect(200);
    let policy = page.header("content-security-policy").unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && policy.contains("connect-src 'self'"), "{policy}");
    let html = String::from_utf8(page.bytes).unwrap();
    assert!(!html.contains("http://") && !html.contains("https://"), "{html}");

    let links: Vec<&str> = html.split(['"']).filter(|part| part.starts_with("docs/")).collect();
    assert_eq!(links.len(), 3, "{links:?}");
    for link in links {
        let file = app.send("GET", &format!("/{link}"), None, &[], None).await.expect(200);
        assert!(!file.bytes.is_empty(), "{link}");
    }
    app.send("GET", "/docs/index.html", None, &[], None).await.expect(404);
}

#[test]
fn the_description_describes_everything_it_names() {
    let text = reflect_server::description();
    let description: serde_json::Value = serde_json::from_str(&text).unwrap();
    let named = text.split('"').filter_map(|part| part.strip_prefix("#/components/schemas/"));
    for name in named {
        assert!(
            description["components"]["schemas"].get(name).is_some(),
            "{name} is named and not described"
        );
    }
}

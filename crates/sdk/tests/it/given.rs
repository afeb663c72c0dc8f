//! What a test begins with: an application, the proxy in front of it, and a client of its project.

use std::sync::Arc;
use std::time::Duration;

use reflect_sdk::{Message, NewTrace, ReflectClient, ReflectClientBuilder};
use reflect_test_support::TestApp;

use crate::proxy::Proxy;

/// Long enough for any machine; waiting ends when what is waited for has happened.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Given {
    pub(crate) client: ReflectClient,
    pub(crate) proxy: Proxy,
    pub(crate) app: Arc<TestApp>,
}

pub(crate) async fn given() -> Given {
    with(TestApp::start().await).await
}

pub(crate) async fn with(app: TestApp) -> Given {
    let app = Arc::new(app);
    let proxy = Proxy::start(app.clone()).await;
    let client = builder(&app, &proxy).build().unwrap();
    Given { client, proxy, app }
}

fn builder(app: &TestApp, proxy: &Proxy) -> ReflectClientBuilder {
    ReflectClient::builder()
        .base_url(proxy.url())
        .api_key(&app.key)
        .project_id(app.project.as_str())
        // A busy machine is not what these tests are about.
        .retrieval_timeout(PATIENCE)
}

impl Given {
    /// A client with settings of the test's own.
    pub(crate) fn builder(&self) -> ReflectClientBuilder {
        builder(&self.app, &self.proxy)
    }

    /// Does something while the server learns from reviews.
    pub(crate) async fn while_learning<T>(&self, work: impl Future<Output = T>) -> T {
        let learning = async {
            loop {
                self.app.learn().await;
            }
        };
        tokio::select! {
            done = work => done,
            () = learning => unreachable!("learning never ends"),
        }
    }
}

/// A small run.
pub(crate) fn run_of(task: &str) -> NewTrace {
    NewTrace::new(task, [Message::user("go"), Message::assistant("done")])
}

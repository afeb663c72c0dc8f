//! A user in a shell: a server, a key, and an empty home.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use reflect_test_support::TestDb;
use serde_json::Value;

use crate::process::{BINARY, Server, key};

pub(crate) struct Shell {
    pub(crate) db: TestDb,
    pub(crate) server: Option<Server>,
    pub(crate) key: String,
    pub(crate) home: PathBuf,
}

pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// The output of a successful command.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "{}\n{}", self.out, self.err);
        self.out
    }

    /// The JSON output of a successful command, which must have this schema.
    #[track_caller]
    pub(crate) fn json(self, schema: &str) -> Value {
        let out = self.ok();
        let value: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"));
        assert_eq!(value["schema"], schema, "{out}");
        value
    }
}

impl Shell {
    pub(crate) async fn open() -> Self {
        let db = TestDb::create().await;
        let key = key(&db, &["--master"]);
        let server = Server::start(&db, &[]);
        let home = std::env::temp_dir().join(format!("reflect-shell-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&home).unwrap();
        Self { db, server: Some(server), key, home }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.server.as_ref().unwrap().address)
    }

    /// The binary with only the connection variables in its environment.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = bare(&self.home, arguments);
        command
            .env("REFLECT_BASE_URL", self.address())
            .env("REFLECT_API_KEY", &self.key)
            .env("REFLECT_PROJECT_ID", "p");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        ran(&mut self.command(arguments))
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.home.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Records a run and returns its id.
    pub(crate) fn submit(&self, task: &str, more: &[&str]) -> String {
        let arguments = [&["traces", "submit", "--task", task, "--answer", "Done."], more].concat();
        self.run(&arguments).ok().trim().to_owned()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.signal("TERM");
            server.end();
        }
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// The binary with its own environment.
pub(crate) fn bare(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(arguments).env_clear().env("HOME", home).stdin(Stdio::null());
    command
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("the binary runs");
    let text = |bytes| String::from_utf8(bytes).expect("what is printed is UTF-8");
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

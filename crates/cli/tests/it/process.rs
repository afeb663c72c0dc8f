//! A server process for one test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use reflect_test_support::TestDb;
use secrecy::ExposeSecret;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_reflect");
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Server {
    pub(crate) child: Child,
    pub(crate) address: String,
    /// The log before it listened.
    pub(crate) before: String,
    log: mpsc::Receiver<String>,
}

/// The binary with these arguments on this database.
pub(crate) fn reflect(db: &TestDb, arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command.args(arguments).env("REFLECT_DATABASE_URL", db.url().expose_secret());
    command
}

pub(crate) fn output(db: &TestDb, arguments: &[&str]) -> Output {
    reflect(db, arguments).output().expect("the binary runs")
}

pub(crate) fn key(db: &TestDb, arguments: &[&str]) -> String {
    let output = output(db, &[&["keys", "create", "--label", "test"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// One request on its own connection. Returns the complete response as text.
pub(crate) fn request(address: &str, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let length = body.len();
    write!(stream, "{head}host: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

impl Server {
    pub(crate) fn start(db: &TestDb, arguments: &[&str]) -> Self {
        Self::of(reflect(db, &[&["serve", "--listen", "127.0.0.1:0"], arguments].concat()))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the binary runs");
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, log) = mpsc::channel();
        std::thread::spawn(move || {
            stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let mut seen = String::new();
        let address = loop {
            let line =
                log.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("the server did not start:\n{seen}"));
            if let Some((_, rest)) = line.split_once("listening on http://") {
                break rest.split(['"', ' ', '/']).next().unwrap().to_owned();
            }
            seen.push_str(&line);
            seen.push('\n');
        };
        Self { child, address, before: seen, log }
    }

    pub(crate) fn request(&self, head: &str, body: &str) -> String {
        request(&self.address, head, body)
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.request(&format!("GET {path} HTTP/1.1\r\n"), "")
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end. Returns the exit code and the log.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        (status.code(), self.log.iter().collect::<Vec<_>>().join("\n"))
    }
}

/// Kills the server at the end of a test, also after a failure.
impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

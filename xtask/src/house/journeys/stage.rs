//! The server, the provider and the database that the requests run against.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::temporary_folder::TemporaryFolder;
use crate::{process, programs};

const DATABASE: &str = "reflect_house";
const PROJECT: &str = "default";
/// A debug build under callgrind runs about fifty times slower.
const READY: Duration = Duration::from_secs(180);
const ANSWER: Duration = Duration::from_secs(120);

/// A database with one learned memory.
pub(super) struct Stage {
    folder: TemporaryFolder,
    reflect: PathBuf,
    environment: Vec<(String, String)>,
    key: String,
    trace_id: String,
    _provider: Running,
}

/// A process that ends with this value.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let id = self.0.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        if !process::wait_until(Duration::from_secs(60), || !matches!(self.0.try_wait(), Ok(None))) {
            let _ = self.0.kill();
        }
        let _ = self.0.wait();
    }
}

impl Stage {
    /// Creates the database and sends one trace with a review, so that there is something to read.
    pub(super) fn prepare(project_route: &str, trace: &str) -> Result<Self> {
        let reflect = programs::built("reflect")?;
        let provider = programs::built("scripted-provider")?;
        let folder = TemporaryFolder::make()?;
        let made = process::output_of(programs::own()?.args(["db", "create", DATABASE, "--recreate"]))?;
        let database = made.lines().last().unwrap_or_default().to_owned();
        let (provider, url) = start_provider(&provider)?;
        let environment = [
            ("REFLECT_DATABASE_URL", database),
            ("REFLECT_TEXT_PROVIDER", "openai".to_owned()),
            ("REFLECT_TEXT_URL", format!("{url}/v1")),
            ("REFLECT_TEXT_MODEL", "scripted".to_owned()),
            ("REFLECT_EMBEDDER", "openai".to_owned()),
            ("REFLECT_EMBEDDER_URL", format!("{url}/v1")),
            ("REFLECT_EMBEDDER_MODEL", "scripted-words".to_owned()),
            // Without this, the server starts itself again with this variable, and callgrind loses it.
            ("ORT_DISABLE_TELEMETRY", "1".to_owned()),
            // A slow server would exceed these time limits.
            ("REFLECT_QUESTION_MS", "60000".to_owned()),
            ("REFLECT_REQUEST_SECONDS", "120".to_owned()),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let mut stage = Self {
            folder,
            reflect,
            environment,
            key: String::new(),
            trace_id: String::new(),
            _provider: provider,
        };
        let mut serve = Command::new(&stage.reflect);
        let (server, port) = stage.serve(serve.args(["serve", "--migrate"]))?;
        let mut keys = Command::new(&stage.reflect);
        keys.args(["keys", "create", "--project", PROJECT, "--label", "house"]);
        stage.key = process::output_of(keys.envs(stage.environment.iter().cloned()))?;
        let route = format!("{project_route}/traces");
        let answer = stage.request(port, "POST", &route, Some(trace))?;
        let answer: serde_json::Value = serde_json::from_str(&answer).context("the answer is not JSON")?;
        let id = answer["trace_id"].as_str().or_else(|| answer["id"].as_str());
        stage.trace_id = id.context("the answer to a trace has no id")?.to_owned();
        stage.request(port, "GET", &format!("{project_route}/traces/{{trace_id}}?wait=30"), None)?;
        drop(server);
        Ok(stage)
    }

    /// Sends one request to a fresh server under callgrind, which counts inside `entries` only. Returns its output.
    pub(super) fn run_measured(
        &self,
        entries: &[String],
        method: &str,
        route: &str,
        body: Option<&str>,
    ) -> Result<String> {
        let output = self.folder.path().join("callgrind.out");
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--collect-atstart=no", "-q"]);
        command.arg(format!("--callgrind-out-file={}", output.display()));
        command.args(entries.iter().map(|entry| format!("--toggle-collect={entry}")));
        // Without background work, which would run at the same time.
        command.arg(&self.reflect).args(["serve", "--role", "api"]);
        let (server, port) = self.serve(&mut command)?;
        self.request(port, method, route, body)?;
        drop(server);
        std::fs::read_to_string(&output).with_context(|| format!("callgrind wrote no {}", output.display()))
    }

    fn serve(&self, command: &mut Command) -> Result<(Running, u16)> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = self.folder.path().join("server.log");
        let output = File::create(&log)?;
        command.args(["--listen", &format!("127.0.0.1:{port}")]).envs(self.environment.iter().cloned());
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let line = process::command_line(command);
        let hint = "`cargo xtask setup --ci` installs valgrind";
        let mut server = Running(command.spawn().with_context(|| format!("cannot run `{line}`; {hint}"))?);
        let mut ready = false;
        process::wait_until(READY, || {
            ready = send(port, "GET /ready HTTP/1.1\r\n", "").is_ok_and(|(status, _)| status == 200);
            ready || !matches!(server.0.try_wait(), Ok(None))
        });
        if !ready {
            bail!("`{line}` did not become ready\n{}", process::tail(&read(&log)));
        }
        Ok((server, port))
    }

    fn request(&self, port: u16, method: &str, route: &str, body: Option<&str>) -> Result<String> {
        let path = route.replace("{project_id}", PROJECT).replace("{trace_id}", &self.trace_id);
        let body = body.unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n",
            self.key,
            body.len()
        );
        let (status, answer) = send(port, &head, body)?;
        if !(200..300).contains(&status) {
            let log = read(&self.folder.path().join("server.log"));
            bail!("{method} {path} answered {status}: {answer}\n{}", process::tail(&log));
        }
        Ok(answer)
    }
}

/// The provider announces its address on standard output.
fn start_provider(program: &Path) -> Result<(Running, String)> {
    let mut child = Command::new(program).args(["--port", "0"]).stdout(Stdio::piped()).spawn()?;
    let output = child.stdout.take().context("standard output is a pipe")?;
    let provider = Running(child);
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let url = line.trim().split_once("listening on ").map(|(_, url)| url.to_owned());
    Ok((provider, url.with_context(|| format!("the scripted provider printed {line:?}"))?))
}

/// Sends one request. Returns the status and the body of the response.
fn send(port: u16, head: &str, body: &str) -> Result<(u16, String)> {
    let mut connection = TcpStream::connect(("127.0.0.1", port))?;
    connection.set_read_timeout(Some(ANSWER))?;
    write!(connection, "{head}Host: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n{body}")?;
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer is not HTTP")?;
    let status =
        head.split(' ').nth(1).and_then(|word| word.parse().ok()).context("the answer has no status")?;
    Ok((status, body.to_owned()))
}

fn read(path: &Path) -> String {
    std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

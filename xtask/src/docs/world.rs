//! The environment of a page: a server with an empty database, a project, a key, and a folder.
//!
//! The server is the built binary with the small embedder and no language model. So lessons are built from task,
//! outcome and feedback: in milliseconds, and always the same. A page that starts its own server does not use this one.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Result, bail};

use super::session::Environment;
use crate::{process, programs, settings, setup};

/// The database of the current page. It is created again for each page.
const DATABASE: &str = "reflect_docs";
const PROJECT: &str = "default";
/// A shared machine may stall for seconds.
const READY: Duration = Duration::from_secs(60);

/// The paths of the programs.
pub(crate) struct Programs {
    pub(crate) reflect: PathBuf,
    pub(crate) python: PathBuf,
    psql: PathBuf,
    embedder: PathBuf,
    onnxruntime: PathBuf,
    sdk: PathBuf,
}

impl Programs {
    pub(crate) fn find(root: &Path) -> Result<Self> {
        let reflect = programs::built("reflect")?;
        let postgres = setup::folder_of("postgres")?;
        let psql = find_below(&postgres, "pginstall18/bin/psql")?;
        Ok(Self {
            reflect,
            python: setup::folder_of("python-tools")?.join("bin/python"),
            psql,
            embedder: setup::folder_of("minilm")?,
            onnxruntime: setup::folder_of("onnxruntime")?.join("libonnxruntime.so"),
            sdk: root.join("sdks/python/src"),
        })
    }

    /// The environment of every program of a page: our programs are first on the path, and nothing of the caller's
    /// environment is inherited.
    pub(crate) fn environment(&self, folder: &Path) -> Result<Environment> {
        let programs = folder.join("bin");
        std::fs::create_dir_all(&programs)?;
        std::fs::create_dir_all(folder.join("home"))?;
        let links = [("reflect", &self.reflect), ("psql", &self.psql)];
        for (name, program) in links {
            std::os::unix::fs::symlink(program, programs.join(name))?;
        }
        for name in ["pg_dump", "pg_restore"] {
            std::os::unix::fs::symlink(self.psql.with_file_name(name), programs.join(name))?;
        }
        // A copy and not a link: Python finds its packages by the path that it is started from.
        for name in ["python", "python3"] {
            let path = programs.join(name);
            std::fs::write(&path, format!("#!/bin/sh\nexec '{}' \"$@\"\n", self.python.display()))?;
            process::output_of(Command::new("chmod").arg("+x").arg(&path))?;
        }
        let path = settings::setting(settings::PROGRAMS).unwrap_or_default();
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Ok(Environment::from([
            ("PATH".to_owned(), format!("{}:{path}", programs.display())),
            ("HOME".to_owned(), text(&folder.join("home"))),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("NO_PROXY".to_owned(), "*".to_owned()),
            ("PYTHONPATH".to_owned(), text(&self.sdk)),
            ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
            // Receivers of webhooks run on this machine.
            ("REFLECT_WEBHOOK_NETWORKS".to_owned(), "127.0.0.1".to_owned()),
            ("REFLECT_SPOOL_DIR".to_owned(), text(&folder.join("spool"))),
            ("REFLECT_EMBEDDER_FOLDER".to_owned(), text(&self.embedder)),
            ("REFLECT_ONNXRUNTIME".to_owned(), text(&self.onnxruntime)),
            // For a page that starts a development server.
            ("REFLECT_DEV_FOLDER".to_owned(), text(&folder.join("dev"))),
            ("REFLECT_POSTGRES_BIN".to_owned(), text(self.psql.parent().unwrap_or(folder))),
        ]))
    }

    pub(crate) fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new(&self.psql);
        psql.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", database]);
        psql
    }
}

fn find_below(folder: &Path, ending: &str) -> Result<PathBuf> {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        if folder.join(ending).exists() {
            return Ok(folder.join(ending));
        }
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        waiting.extend(entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()));
    }
    bail!("no {ending} below {}: `cargo xtask setup` installs it", folder.display())
}

/// A server for one page.
pub(crate) struct Server {
    child: Child,
    pub(crate) database: String,
    log: PathBuf,
}

impl Server {
    /// Starts it, and adds the variables that a user would export.
    pub(crate) fn start(programs: &Programs, environment: &mut Environment, folder: &Path) -> Result<Self> {
        let made = process::output_of(programs::own()?.args(["db", "create", DATABASE, "--recreate"]))?;
        let database = made.lines().last().unwrap_or_default().to_owned();
        environment.insert("REFLECT_DATABASE_URL".to_owned(), database.clone());
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = folder.join("server.log");
        let output = std::fs::File::create(&log)?;
        let child = Command::new(&programs.reflect)
            .args(["serve", "--migrate", "--listen", &format!("127.0.0.1:{port}")])
            .env_clear()
            .envs(environment.iter())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        let mut server = Self { child, database, log };
        let ended = || matches!(server.child.try_wait(), Ok(Some(_)));
        if !wait_for_server(port, ended) {
            bail!("the server did not get ready\n{}", server.log_tail());
        }
        let mut keys = Command::new(&programs.reflect);
        keys.args(["keys", "create", "--project", PROJECT, "--label", "docs"]);
        let key = process::output_of(keys.env_clear().envs(environment.iter()))?;
        environment.insert("REFLECT_BASE_URL".to_owned(), format!("http://127.0.0.1:{port}"));
        environment.insert("REFLECT_API_KEY".to_owned(), key);
        environment.insert("REFLECT_PROJECT_ID".to_owned(), PROJECT.to_owned());
        Ok(server)
    }

    pub(crate) fn log_tail(&self) -> String {
        process::tail(&super::session::read(&self.log))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let id = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &id]).status();
        if !process::wait_until(Duration::from_secs(20), || !matches!(self.child.try_wait(), Ok(None))) {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

fn wait_for_server(port: u16, mut ended: impl FnMut() -> bool) -> bool {
    let mut ready = false;
    process::wait_until(READY, || {
        ready = answers_ready(port).unwrap_or_default();
        ready || ended()
    });
    ready
}

fn answers_ready(port: u16) -> Result<bool> {
    let mut connection = TcpStream::connect(("127.0.0.1", port))?;
    connection.set_read_timeout(Some(Duration::from_secs(2)))?;
    connection.write_all(b"GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200"))
}

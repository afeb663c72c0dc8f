//! The message when the development server is ready, and opening the console in a browser.

use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::config::dev::DevConfig;

use crate::local_server::connection::Connection;

/// The content of the message.
pub(super) struct Welcome<'a> {
    pub(super) connection: &'a Connection,
    pub(super) link: &'a str,
    pub(super) opened: bool,
    pub(super) folder: &'a Path,
    /// The folder is removed at the end.
    pub(super) ephemeral: bool,
    /// Example runs are created after this message.
    pub(super) demo: bool,
    /// Other commands need a variable to find the folder.
    pub(super) non_default_folder: bool,
    pub(super) reflector: &'a str,
    pub(super) took: Duration,
    /// The requested port, if it is in use and another was chosen.
    pub(super) port_in_use: Option<u16>,
}

impl Welcome<'_> {
    pub(super) fn text(&self) -> String {
        let Connection { base_url, api_key, project_id } = self.connection;
        let taken = self.port_in_use.map_or(String::new(), |port| format!("   (port {port} is in use)"));
        let once = if self.opened { "opened; link works once" } else { "link works once" };
        let folder = self.folder.display();
        let (storage, data) = match self.ephemeral {
            true => ("removed at the end", " and removes the data"),
            false => ("kept", "; the data is kept"),
        };
        let next = match self.demo {
            true => "reflect whoami    in another terminal, after the exports above",
            false => "reflect demo      creates an example project",
        };
        let elsewhere = match self.non_default_folder {
            true => format!("  export REFLECT_DEV_FOLDER={}\n", quoted(&folder.to_string())),
            false => String::new(),
        };
        format!(
            "  Reflect {version}   ready in {seconds:.1} s\n\
             \x20 API       {base_url}{taken}\n\
             \x20 Console   {link}   ({once})\n\
             \x20 Storage   {folder}   ({storage})\n\
             \x20 Reflector {reflector}\n\
             \n\
             \x20 export REFLECT_BASE_URL={base_url}\n\
             \x20 export REFLECT_API_KEY={api_key}\n\
             \x20 export REFLECT_PROJECT_ID={project_id}\n\
             {elsewhere}\
             \n\
             \x20 Next: {next}\n\
             \x20       Ctrl-C            stops everything{data}\n",
            version = env!("CARGO_PKG_VERSION"),
            seconds = self.took.as_secs_f64(),
            link = self.link,
            reflector = self.reflector,
        )
    }
}

/// Quotes a text for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+".contains(character);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Opens a page in the browser, if this is a desktop session. Returns whether it did.
pub(super) fn open(config: &DevConfig, link: &str) -> bool {
    let around = &config.surroundings;
    let has_display = [&around.display, &around.wayland_display]
        .into_iter()
        .any(|display| display.as_deref().is_some_and(|name| !name.is_empty()));
    if config.no_open || !std::io::stdout().is_terminal() || !(has_display || cfg!(target_os = "macos")) {
        return false;
    }
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = Command::new(opener);
    command.arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> Connection {
        Connection {
            base_url: "http://127.0.0.1:8001".to_owned(),
            api_key: "rf_test_1".to_owned(),
            project_id: "default".to_owned(),
        }
    }

    fn welcome(connection: &Connection, ephemeral: bool) -> Welcome<'_> {
        Welcome {
            connection,
            link: "http://127.0.0.1:8001/login?t=x",
            opened: false,
            folder: Path::new("/data of ana"),
            ephemeral,
            non_default_folder: ephemeral,
            demo: ephemeral,
            reflector: "offline",
            took: Duration::from_millis(1840),
            port_in_use: Some(8000),
        }
    }

    #[test]
    fn the_message_has_addresses_and_exports() {
        let connection = connection();

        let text = welcome(&connection, false).text();

        assert!(text.contains("ready in 1.8 s"), "{text}");
        assert!(text.contains("  API       http://127.0.0.1:8001   (port 8000 is in use)\n"), "{text}");
        assert!(text.contains("  export REFLECT_BASE_URL=http://127.0.0.1:8001\n"), "{text}");
        assert!(text.contains("  export REFLECT_API_KEY=rf_test_1\n"), "{text}");
    }

    #[test]
    fn an_ephemeral_server_says_so_and_exports_its_folder() {
        let connection = connection();

        let text = welcome(&connection, true).text();

        assert!(text.contains("  export REFLECT_DEV_FOLDER='/data of ana'\n"), "{text}");
        assert!(!text.contains("reflect demo"), "{text}");
        assert!(text.contains("removes the data") && !text.contains("the data is kept"), "{text}");
        assert!(!welcome(&connection, false).text().contains("REFLECT_DEV_FOLDER"));
    }
}

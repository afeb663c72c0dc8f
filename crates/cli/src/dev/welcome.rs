//! What a person reads once the development server is ready, and their browser at the right place.

use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::dev_config::DevConfig;

use super::connection::Connection;

/// What there is to say.
pub(super) struct Welcome<'a> {
    pub(super) connection: &'a Connection,
    pub(super) link: &'a str,
    pub(super) opened: bool,
    pub(super) folder: &'a Path,
    /// The folder is removed in the end.
    pub(super) ephemeral: bool,
    /// Example runs come below.
    pub(super) demo: bool,
    /// Other commands find the folder only if they are told.
    pub(super) elsewhere: bool,
    pub(super) reflector: &'a str,
    pub(super) took: Duration,
    /// The port that was asked for, when another had to be taken.
    pub(super) taken: Option<u16>,
}

impl Welcome<'_> {
    pub(super) fn text(&self) -> String {
        let Connection { base_url, api_key, project_id } = self.connection;
        let taken = self.taken.map_or(String::new(), |port| format!("   (port {port} is taken)"));
        let once = if self.opened { "opened; signs in once" } else { "signs in once" };
        let folder = self.folder.display();
        let (storage, fate) = match self.ephemeral {
            true => ("removed in the end", " and removes the data"),
            false => ("kept", "; the data stays"),
        };
        let next = match self.demo {
            true => "reflect whoami    in a second terminal, with the lines above",
            false => "reflect demo      30 example runs to look at and review",
        };
        let elsewhere = match self.elsewhere {
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
             \x20       Ctrl-C            stops everything{fate}\n",
            version = env!("CARGO_PKG_VERSION"),
            seconds = self.took.as_secs_f64(),
            link = self.link,
            reflector = self.reflector,
        )
    }
}

/// As one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+".contains(character);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// Opens a page in the browser of somebody who sits at this machine; says whether it did.
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
            elsewhere: ephemeral,
            demo: ephemeral,
            reflector: "offline",
            took: Duration::from_millis(1840),
            taken: Some(8000),
        }
    }

    #[test]
    fn the_block_says_where_everything_is_and_can_be_pasted() {
        let connection = connection();

        let text = welcome(&connection, false).text();

        assert!(text.contains("ready in 1.8 s"), "{text}");
        assert!(text.contains("  API       http://127.0.0.1:8001   (port 8000 is taken)\n"), "{text}");
        assert!(text.contains("  export REFLECT_BASE_URL=http://127.0.0.1:8001\n"), "{text}");
        assert!(text.contains("  export REFLECT_API_KEY=rf_test_1\n"), "{text}");
    }

    #[test]
    fn of_a_server_that_keeps_nothing_it_says_so_and_where_other_commands_find_it() {
        let connection = connection();

        let text = welcome(&connection, true).text();

        assert!(text.contains("  export REFLECT_DEV_FOLDER='/data of ana'\n"), "{text}");
        assert!(!text.contains("reflect demo"), "{text}");
        assert!(text.contains("removes the data") && !text.contains("the data stays"), "{text}");
        assert!(!welcome(&connection, false).text().contains("REFLECT_DEV_FOLDER"));
    }
}

//! Keeping a library silent that would report to its maker.
//!
//! Newer builds of ONNX Runtime do so from the moment they are loaded, before anybody can tell them otherwise. A variable
//! of theirs, looked at then, is what keeps them from it, so it has to be there when this process begins. What is done
//! with the library is the business of `reflect-model-local`.

use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

const VARIABLE: &str = "ORT_DISABLE_TELEMETRY";
const SILENT: &str = "1";

/// Returns when the variable is set; until then, begins this process anew with it. The process keeps its number, its
/// arguments and its open files. A process cannot change its own variables soundly, and its next image can.
pub(crate) fn insist() -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "nobody's setting: a mark for our own next image")]
    if env::var_os(VARIABLE).is_some_and(|value| value == SILENT) {
        return Ok(());
    }
    let mut arguments = env::args_os();
    let mut next = Command::new(env::current_exe()?);
    next.arg0(arguments.next().unwrap_or_else(|| "reflect".into())).args(arguments).env(VARIABLE, SILENT);
    Err(next.exec())
}

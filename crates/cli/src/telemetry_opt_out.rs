//! Disables the telemetry of ONNX Runtime.
//!
//! Newer builds of ONNX Runtime send telemetry as soon as they are loaded. The only way to prevent that is an environment
//! variable that is set when the process starts.

use std::env;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

const VARIABLE: &str = "ORT_DISABLE_TELEMETRY";
const DISABLED: &str = "1";

/// Returns if the variable is set; otherwise replaces this process with one in which it is set. The process id, the
/// arguments and the open files stay. A process cannot soundly change its own environment while threads may read it.
pub(crate) fn telemetry_opt_out() -> io::Result<()> {
    #[expect(
        clippy::disallowed_methods,
        reason = "not a setting: marks that the process was already replaced"
    )]
    if env::var_os(VARIABLE).is_some_and(|value| value == DISABLED) {
        return Ok(());
    }
    let mut arguments = env::args_os();
    let mut next = Command::new(env::current_exe()?);
    next.arg0(arguments.next().unwrap_or_else(|| "reflect".into())).args(arguments).env(VARIABLE, DISABLED);
    Err(next.exec())
}

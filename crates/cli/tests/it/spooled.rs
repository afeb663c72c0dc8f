//! `reflect spool`, with files that the Python SDK wrote.

use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::shell::Shell;

const FRAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdks/python/src/reflect_sdk/_delivery/frames.py");

/// Writes a segment with three runs, the first of which was delivered, and one that the server refuses.
const WRITE: &str = r#"
import importlib.util, json, sys, time, uuid
spec = importlib.util.spec_from_file_location("frames", sys.argv[1])
frames = importlib.util.module_from_spec(spec)
sys.modules["frames"] = frames
spec.loader.exec_module(frames)
now = int(time.time() * 1000)
def made(number):
    bits = (now << 80) | (7 << 76) | (number << 64) | (2 << 62) | number
    return str(uuid.UUID(int=bits))
data = frames.HEADER
first = len(data)
for number in range(1, 5):
    run = {"trace_id": made(number), "task": "" if number == 4 else f"run {number}", "trajectory": "text"}
    body = json.dumps(run).encode()
    data += frames.record_head(run["trace_id"], body, reviewed=False, written_ms=now - 5000) + body
data += frames.encode_acknowledgement([first], written_ms=now)
open(sys.argv[2], "wb").write(data)
"#;

fn write_segment(path: &Path) {
    let python =
        Command::new("python3").args(["-c", WRITE, FRAMES]).arg(path).output().expect("python3 runs");
    assert!(python.status.success(), "{}", String::from_utf8_lossy(&python.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn spooled_runs_of_the_python_sdk_are_shown_sent_and_removed() {
    let shell = Shell::open().await;
    let digest = Sha256::digest(format!("{}\0p", shell.address()));
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let folder = shell.home.join(".local/state/reflect/spool").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let segment = folder.join("0001-1-ab.seg");
    write_segment(&segment);

    let status = shell.run(&["spool", "status", "--json"]).json("spool.status/1");
    assert_eq!((&status["items"][0]["runs"], &status["items"][0]["this_project"]), (&3.into(), &true.into()));
    let table = shell.run(&["spool", "status"]).ok();
    assert!(table.contains("orphaned"), "{table}");

    let replayed = shell.run(&["spool", "replay", "--json"]);
    assert_eq!(replayed.code, Some(5), "{}", replayed.err);
    assert!(replayed.out.contains(r#""sent":2"#), "{}", replayed.out);
    let stored = shell.run(&["traces", "list", "--json=task"]).json("trace.list/1");
    assert_eq!(stored["items"].as_array().unwrap().len(), 2, "{stored}");
    let left = shell.run(&["spool", "status", "--json"]).json("spool.status/1");
    assert_eq!(left["items"][0]["runs"], 1);

    assert_eq!(shell.run(&["spool", "purge"]).code, Some(2));
    assert!(segment.exists());
    shell.run(&["spool", "purge", "--yes"]).ok();
    assert!(!segment.exists());
}

fn folder_of(shell: &Shell, project: &str) -> std::path::PathBuf {
    let digest = Sha256::digest(format!("{}\0{project}", shell.address()));
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    shell.home.join(".local/state/reflect/spool").join(name)
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_for_a_wrong_project_are_shown_by_doctor_and_status_and_redirected() {
    let shell = Shell::open().await;
    let wrong = folder_of(&shell, "old-name");
    std::fs::create_dir_all(&wrong).unwrap();
    write_segment(&wrong.join("0001-1-ab.seg"));

    let doctor = shell.run(&["doctor", "--only", "spool"]);
    assert!(doctor.out.contains("3 unsent runs for an unknown destination"), "{}", doctor.out);
    assert!(doctor.out.contains("reflect spool redirect"), "{}", doctor.out);
    // An address and a project of the connection are known.
    let status = shell.run(&["spool", "status", "--project", "old-name"]).ok();
    assert!(status.contains("old-name") && status.contains(&shell.address()), "{status}");

    assert_eq!(shell.run(&["spool", "redirect"]).code, Some(2));
    assert_eq!(shell.run(&["spool", "redirect", "--from-project", "other", "--yes"]).code, Some(2));
    let moved = shell.run(&["spool", "redirect", "--from-project", "old-name", "--yes", "--json"]);
    assert_eq!(moved.json("spool.redirect/1")["item"]["runs"], 3);
    assert_eq!(std::fs::read_dir(&wrong).unwrap().count(), 0);
    let status = shell.run(&["spool", "status", "--json"]).json("spool.status/1");
    let item = &status["items"][0];
    assert_eq!((&item["runs"], &item["project_id"]), (&3.into(), &"p".into()), "{status}");
    let doctor = shell.run(&["doctor", "--only", "spool"]);
    assert!(doctor.out.contains("3 unsent runs for project p at"), "{}", doctor.out);

    let replayed = shell.run(&["spool", "replay", "--json"]);
    assert!(replayed.out.contains(r#""sent":2"#), "{}", replayed.out);
}

//! `reflect spool`, on files that the Python SDK's own code wrote.

use std::path::Path;
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::shell::Shell;

const FRAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../sdks/python/src/reflect_sdk/_delivery/frames.py");

/// Writes a segment with three runs, of which the first has arrived, and one that the server refuses.
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
async fn what_the_python_sdk_left_behind_is_shown_sent_and_removed() {
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
    assert!(table.contains("left behind"), "{table}");

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

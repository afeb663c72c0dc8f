//! Embeds the console's build into the binary.

use rust_embed_for_web::{EmbedableFile, RustEmbed};

use super::asset::Asset;

/// Empty if the console is not built: a checkout without Node must compile.
#[derive(RustEmbed)]
#[folder = "../../console/app/dist/"]
#[allow_missing = true]
struct Console;

pub(super) fn find(path: &str) -> Option<Asset> {
    let file = Console::get(path)?;
    Some(Asset {
        kind: file.mime_type().map_or_else(|| "application/octet-stream".to_owned(), |kind| kind.to_string()),
        etag: file.etag().to_string(),
        plain: file.data().to_vec(),
        brotli: file.data_br().map(|bytes| bytes.to_vec()),
        gzip: file.data_gzip().map(|bytes| bytes.to_vec()),
    })
}

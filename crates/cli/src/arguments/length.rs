//! How much of a list a command shows.

use clap::Args;
use reflect_sdk::{Error, Page};

/// The entries of a page that the server returns at most.
const PAGE: u32 = 100;

#[derive(Debug, Args)]
pub(crate) struct Length {
    /// The maximum number of entries.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// List all entries.
    #[arg(long, conflicts_with = "limit")]
    all: bool,
}

impl Length {
    /// Requests pages until there are enough entries. The cursor of the result says where the rest begins, if there is one.
    pub(crate) async fn pages<T>(
        &self,
        mut fetch: impl AsyncFnMut(u32, Option<String>) -> Result<Page<T>, Error>,
    ) -> anyhow::Result<(Vec<T>, Option<String>)> {
        let max = if self.all { usize::MAX } else { self.limit as usize };
        let (mut items, mut cursor) = (Vec::new(), None);
        while items.len() < max {
            let wanted = u32::try_from(max - items.len()).unwrap_or(PAGE).min(PAGE);
            let page = fetch(wanted, cursor).await?;
            items.extend(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        Ok((items, cursor))
    }
}

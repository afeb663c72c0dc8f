//! Telling whoever looks on that something changed: topics and ids, never content.
//!
//! What changes in any process is gathered for a moment and said once through the database, after the
//! transactions that changed it and apart from them: a process that dies in between leaves something unsaid,
//! which is why those who look on also look by themselves from time to time. Nobody waits for any of this.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reflect_types::ProjectId;
use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, broadcast};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{Engine, chain};

/// What happens within this time is said together.
const GATHERED: Duration = Duration::from_millis(50);
/// More ids than this, and only their number is said.
const MOST_IDS: usize = 20;
/// Who is further behind than this has to come back and look for themselves.
const REMEMBERED: usize = 256;
/// How long to wait before the database is asked again to be listened to.
const PAUSE: Duration = Duration::from_secs(1);

/// The noun of the paths that show what changed.
pub type Topic = &'static str;

/// Something changed in a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct News {
    /// Where.
    #[serde(rename = "p")]
    pub project: ProjectId,
    /// What; `missed` when it is not known.
    #[serde(rename = "t")]
    pub topic: String,
    /// Which of them, when they are few.
    #[serde(rename = "i")]
    pub ids: Vec<Uuid>,
    /// How often.
    #[serde(rename = "n")]
    pub count: u32,
}

impl News {
    /// Said when something may have been said that was not heard.
    pub const MISSED: &'static str = "missed";
}

/// Which of them changed and how often, by where and what.
type Gathered = BTreeMap<(ProjectId, Topic), (Vec<Uuid>, u32)>;

/// Where news is gathered, and from where it is handed on.
#[derive(Debug)]
pub(crate) struct Desk {
    gathered: Mutex<Gathered>,
    something: Notify,
    heard: broadcast::Sender<Arc<News>>,
}

impl Default for Desk {
    fn default() -> Self {
        let heard = broadcast::Sender::new(REMEMBERED);
        Self { gathered: Mutex::default(), something: Notify::new(), heard }
    }
}

impl Desk {
    fn add(&self, project: ProjectId, topic: Topic, id: Option<Uuid>) {
        let mut gathered = self.gathered.lock().unwrap_or_else(PoisonError::into_inner);
        let (ids, count) = gathered.entry((project, topic)).or_default();
        *count = count.saturating_add(1);
        if let Some(id) = id.filter(|id| ids.len() < MOST_IDS && !ids.contains(id)) {
            ids.push(id);
        }
        drop(gathered);
        self.something.notify_one();
    }

    fn take(&self) -> Vec<News> {
        let gathered = mem::take(&mut *self.gathered.lock().unwrap_or_else(PoisonError::into_inner));
        let news = |((project, topic), (ids, count)): ((ProjectId, Topic), _)| News {
            project,
            topic: topic.to_owned(),
            ids,
            count,
        };
        gathered.into_iter().map(news).collect()
    }
}

impl Engine {
    /// Notes that something changed. Costs nothing that could fail.
    pub fn tell(&self, project: ProjectId, topic: Topic, id: Option<Uuid>) {
        self.news.add(project, topic, id);
    }

    /// Hears from now on what changes in any project.
    pub fn hear(&self) -> broadcast::Receiver<Arc<News>> {
        self.news.heard.subscribe()
    }

    /// Says what this process gathers and hears what all of them say, until told to stop.
    pub async fn carry_news(&self, stop: CancellationToken) {
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.say() => {}
            () = self.listen() => {}
        }
    }

    async fn say(&self) {
        loop {
            self.news.something.notified().await;
            tokio::time::sleep(GATHERED).await;
            let news: Vec<String> =
                self.news.take().iter().filter_map(|news| serde_json::to_string(news).ok()).collect();
            if let Err(error) = self.store.announce(&news).await {
                tracing::debug!(error = chain(&error), "some news could not be said");
            }
        }
    }

    async fn listen(&self) {
        loop {
            if let Err(error) = self.listen_while_it_works().await {
                tracing::debug!(error = chain(&error), "news cannot be heard now");
            }
            self.missed();
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn listen_while_it_works(&self) -> Result<(), reflect_store::StoreError> {
        let mut listener = self.store.listen().await?;
        loop {
            match listener.next().await? {
                Some(text) => {
                    if let Ok(news) = serde_json::from_str::<News>(&text) {
                        // Nobody may be looking on.
                        let _ = self.news.heard.send(Arc::new(news));
                    }
                }
                None => self.missed(),
            }
        }
    }

    fn missed(&self) {
        let project = ProjectId::INSTALLATION;
        let missed = News { project, topic: News::MISSED.to_owned(), ids: Vec::new(), count: 0 };
        let _ = self.news.heard.send(Arc::new(missed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_together_is_said_together_and_fits_into_one_message() {
        let desk = Desk::default();
        let project = ProjectId::new(7);
        let same = Uuid::now_v7();
        desk.add(project, "reviews", Some(same));
        desk.add(project, "reviews", Some(same));
        for _ in 0..1000 {
            desk.add(project, "traces", Some(Uuid::now_v7()));
        }
        let said = desk.take();

        assert_eq!(said.len(), 2);
        assert_eq!(
            (said[0].topic.as_str(), said[0].ids.as_slice(), said[0].count),
            ("reviews", &[same][..], 2)
        );
        assert_eq!((said[1].ids.len(), said[1].count), (MOST_IDS, 1000));
        let longest = said.iter().map(|news| serde_json::to_string(news).unwrap().len()).max();
        assert!(longest < Some(8000), "Postgres takes no longer messages");
        assert!(desk.take().is_empty());
    }
}

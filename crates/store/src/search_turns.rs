//! Turns for searches. A search keeps a processor of the database server busy, so only a few run at the same time. The
//! others wait in one queue per project, and projects take turns. A project whose searches would wait too long is refused
//! at once.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use reflect_types::ProjectId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Projects without a search are forgotten when there are this many.
const MOST_PROJECTS: usize = 1024;
/// A project that has not searched for this long leaves its share to others.
const RECENT: Duration = Duration::from_secs(1);
/// A search that would wait longer is refused, unless few others wait.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
const FEW_WAITING: usize = 8;

/// How many searches run at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SearchLimits {
    all: usize,
    /// Of one project, if no other has searched lately.
    alone: usize,
    /// Of one project beside others.
    shared: usize,
    by_words: usize,
}

impl SearchLimits {
    /// For a pool with this many connections to a server. `processors` are those of the server, if they are known.
    pub(crate) fn new(connections: u32, processors: Option<usize>) -> Self {
        let connections = connections.max(1) as usize;
        let all = processors.map_or(connections, |processors| processors.max(2).min(connections));
        Self {
            all,
            alone: all.min((connections * 3 / 4).max(1)),
            shared: (all / 2).max(1),
            // A search by words reads many texts.
            by_words: (connections / 2).max(1),
        }
    }
}

/// The search did not get a turn in time, or would wait too long for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoTurn;

/// The turns of all projects on one database server.
#[derive(Debug, Clone)]
pub(crate) struct SearchTurns {
    queue: Arc<Mutex<Queue>>,
    words: Arc<Semaphore>,
}

/// The right to search, until it is dropped.
#[derive(Debug)]
pub(crate) struct SearchTurn {
    turns: SearchTurns,
    project: ProjectId,
    began: Instant,
    by_words: Option<OwnedSemaphorePermit>,
}

impl Drop for SearchTurn {
    fn drop(&mut self) {
        let now = Instant::now();
        self.turns.lock().end(self.project, now - self.began, now);
        self.turns.give(now);
    }
}

impl SearchTurns {
    pub(crate) fn new(limits: SearchLimits) -> Self {
        Self {
            queue: Arc::new(Mutex::new(Queue::new(limits))),
            words: Arc::new(Semaphore::new(limits.by_words)),
        }
    }

    /// Waits for a turn of a project, at most this long.
    pub(crate) async fn take(
        &self,
        project: ProjectId,
        by_words: bool,
        within: Duration,
    ) -> Result<SearchTurn, NoTurn> {
        let turn = async {
            let by_words = match by_words {
                true => Some(self.words.clone().acquire_owned().await.map_err(|_| NoTurn)?),
                false => None,
            };
            let now = Instant::now();
            let waiting = self.lock().wait(project, now)?;
            self.give(now);
            let mut turn = waiting.await.map_err(|_| NoTurn)?;
            turn.by_words = by_words;
            Ok(turn)
        };
        tokio::time::timeout(within, turn).await.unwrap_or(Err(NoTurn))
    }

    /// Starts the searches that may run now.
    fn give(&self, now: Instant) {
        let mut next = self.lock().next(now);
        while let Some((project, waiting)) = next {
            let turn = SearchTurn { turns: self.clone(), project, began: now, by_words: None };
            // If the search is cancelled, the turn is dropped and so ends.
            drop(waiting.send(turn));
            next = self.lock().next(now);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Searches that run and wait.
#[derive(Debug)]
struct Queue {
    limits: SearchLimits,
    running: usize,
    projects: HashMap<ProjectId, ProjectQueue>,
    /// Projects with waiting searches. The first that may run has the next turn.
    order: VecDeque<ProjectId>,
    /// The two projects that searched last.
    latest: [Option<(ProjectId, Instant)>; 2],
}

/// The searches of one project.
#[derive(Default)]
struct ProjectQueue {
    running: usize,
    waiting: VecDeque<oneshot::Sender<SearchTurn>>,
    /// How long a search takes.
    typical: Duration,
}

/// Without the senders, which have nothing to show.
impl fmt::Debug for ProjectQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = self.waiting.len();
        f.debug_struct("ProjectQueue").field("running", &self.running).field("waiting", &waiting).finish()
    }
}

impl ProjectQueue {
    fn is_idle(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }

    fn forget_cancelled(&mut self) {
        self.waiting.retain(|waiting| !waiting.is_closed());
    }
}

impl Queue {
    fn new(limits: SearchLimits) -> Self {
        Self { limits, running: 0, projects: HashMap::new(), order: VecDeque::new(), latest: [None; 2] }
    }

    /// Adds a search to the queue of its project, unless it would wait too long.
    fn wait(&mut self, project: ProjectId, now: Instant) -> Result<oneshot::Receiver<SearchTurn>, NoTurn> {
        if self.projects.len() >= MOST_PROJECTS {
            self.projects.retain(|_, queue| !queue.is_idle());
        }
        self.note(project, now);
        let at_once = self.limit(project, now);
        let queue = self.projects.entry(project).or_default();
        queue.forget_cancelled();
        let before = queue.waiting.len();
        if before >= FEW_WAITING && queue.typical.mul_f64(before as f64 / at_once as f64) > LONGEST_WAIT {
            return Err(NoTurn);
        }
        let (sender, receiver) = oneshot::channel();
        queue.waiting.push_back(sender);
        if !self.order.contains(&project) {
            self.order.push_back(project);
        }
        Ok(receiver)
    }

    /// The next search to start. It counts as running from now on.
    fn next(&mut self, now: Instant) -> Option<(ProjectId, oneshot::Sender<SearchTurn>)> {
        if self.running >= self.limits.all {
            return None;
        }
        let may_run = |queue: &Self, project: &ProjectId| {
            let of_project = queue.projects.get(project).map_or(0, |of_project| of_project.running);
            of_project < queue.limit(*project, now)
        };
        let position = self.order.iter().position(|project| may_run(self, project))?;
        let project = self.order.remove(position)?;
        let queue = self.projects.get_mut(&project)?;
        queue.forget_cancelled();
        let Some(waiting) = queue.waiting.pop_front() else { return self.next(now) };
        if !queue.waiting.is_empty() {
            self.order.push_back(project);
        }
        queue.running += 1;
        self.running += 1;
        Some((project, waiting))
    }

    /// A search of a project ended, which took this long.
    fn end(&mut self, project: ProjectId, took: Duration, now: Instant) {
        self.note(project, now);
        self.running = self.running.saturating_sub(1);
        if let Some(queue) = self.projects.get_mut(&project) {
            queue.running = queue.running.saturating_sub(1);
            queue.typical = match queue.typical.is_zero() {
                true => took,
                false => (queue.typical * 7 + took) / 8,
            };
        }
    }

    /// How many searches of a project may run at the same time.
    fn limit(&self, project: ProjectId, now: Instant) -> usize {
        let own = self.projects.get(&project).map_or(0, |queue| queue.running);
        let recent = |(other, at): &(ProjectId, Instant)| {
            *other != project && now.saturating_duration_since(*at) < RECENT
        };
        let is_shared = self.running > own || self.latest.iter().flatten().any(recent);
        if is_shared { self.limits.shared } else { self.limits.alone }
    }

    fn note(&mut self, project: ProjectId, now: Instant) {
        if self.latest[0].is_none_or(|(latest, _)| latest != project) {
            self.latest[1] = self.latest[0];
        }
        self.latest[0] = Some((project, now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::ZERO;

    fn project(number: i32) -> ProjectId {
        ProjectId::new(number)
    }

    fn turns(connections: u32, processors: Option<usize>) -> SearchTurns {
        SearchTurns::new(SearchLimits::new(connections, processors))
    }

    #[test]
    fn limits_follow_the_processors_of_a_local_server() {
        let limits = |all, alone, shared, by_words| SearchLimits { all, alone, shared, by_words };
        assert_eq!(SearchLimits::new(5, None), limits(5, 3, 2, 2));
        assert_eq!(SearchLimits::new(5, Some(2)), limits(2, 2, 1, 2));
        assert_eq!(SearchLimits::new(2, Some(1)), limits(2, 1, 1, 1));
        assert_eq!(SearchLimits::new(1, Some(8)), limits(1, 1, 1, 1));
        assert_eq!(SearchLimits::new(40, Some(8)), limits(8, 8, 4, 20));
    }

    #[tokio::test]
    async fn a_project_leaves_turns_to_others() {
        let turns = turns(8, None);
        let mut held = Vec::new();
        while let Ok(turn) = turns.take(project(1), false, NOW).await {
            held.push(turn);
        }
        assert_eq!(held.len(), 6);
        let other = turns.take(project(2), false, NOW).await;
        assert!(other.is_ok());
        held.pop();
        assert!(turns.take(project(1), false, NOW).await.is_err(), "beside another project it has half");
    }

    #[test]
    fn projects_take_turns() {
        let (mut queue, now) = (Queue::new(SearchLimits::new(1, None)), Instant::now());
        let _waiting = [1, 1, 1, 2].map(|number| queue.wait(project(number), now).unwrap());
        let mut order = Vec::new();
        while let Some((project, _)) = queue.next(now) {
            assert!(queue.next(now).is_none(), "one at a time");
            queue.end(project, Duration::ZERO, now);
            order.push(project);
        }
        assert_eq!(order, [1, 2, 1, 1].map(project));
    }

    #[test]
    fn a_project_that_would_wait_too_long_is_refused() {
        let (mut queue, now) = (Queue::new(SearchLimits::new(2, None)), Instant::now());
        let first = queue.wait(project(1), now).unwrap();
        assert!(queue.next(now).is_some());
        queue.end(project(1), Duration::from_millis(300), now);
        let waiting: Vec<_> = std::iter::from_fn(|| queue.wait(project(1), now).ok()).take(100).collect();
        assert_eq!(waiting.len(), FEW_WAITING);
        assert!(queue.wait(project(2), now).is_ok());
        drop((first, waiting));
        assert!(queue.wait(project(1), now).is_ok(), "cancelled searches do not count");
    }

    #[test]
    fn quick_searches_wait_in_large_numbers() {
        let (mut queue, now) = (Queue::new(SearchLimits::new(2, None)), Instant::now());
        queue.projects.entry(project(1)).or_default().typical = Duration::from_millis(10);
        let waiting: Vec<_> = std::iter::from_fn(|| queue.wait(project(1), now).ok()).take(1000).collect();
        assert_eq!(waiting.len(), 201);
    }

    #[tokio::test]
    async fn a_cancelled_search_gives_its_turn_back() {
        let turns = turns(1, None);
        let held = turns.take(project(1), false, NOW).await;
        let given_up = turns.take(project(1), false, NOW).await;
        assert!(held.is_ok() && given_up.is_err());
        drop(held);
        assert!(turns.take(project(2), false, NOW).await.is_ok());
        assert_eq!(turns.lock().running, 0);
    }

    #[tokio::test]
    async fn searches_by_words_share_their_turns() {
        let turns = turns(4, None);
        let held = (turns.take(project(1), true, NOW).await, turns.take(project(2), true, NOW).await);
        assert!(held.0.is_ok() && held.1.is_ok());
        assert!(turns.take(project(3), true, NOW).await.is_err());
        assert!(turns.take(project(3), false, NOW).await.is_ok());
    }

    #[tokio::test]
    async fn projects_without_a_search_are_forgotten() {
        let turns = turns(2, None);
        let held = turns.take(project(0), false, NOW).await;
        for number in 1..=3000 {
            assert!(turns.take(project(number), false, NOW).await.is_ok());
        }
        assert!(turns.lock().projects.len() <= MOST_PROJECTS);
        assert!(held.is_ok() && turns.take(project(0), false, NOW).await.is_err());
    }
}

//! Which trouble comes when.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tokio::time::{Instant, sleep};

use super::Link;
use crate::mutant::{Installations, Loads};
use crate::proxy::{Action, Mode, Proxy};

/// How often connections are broken in one trouble.
const TIMES: usize = 5;

/// A trouble with connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Delay,
    Stall,
    Refuse,
    Break(Action),
}

impl Trouble {
    const ALL: [Self; 7] = [
        Self::Delay,
        Self::Stall,
        Self::Refuse,
        Self::Break(Action::Cut),
        Self::Break(Action::Reset),
        Self::Break(Action::HalfClose),
        Self::Break(Action::Abandon),
    ];

    /// A connection to Postgres that is silent forever ends only with the TCP timeout of the operating system, after minutes.
    fn can_end(self, link: Link) -> bool {
        self != Self::Break(Action::Abandon) || link != Link::Database
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Delay => "a delay",
            Self::Stall => "a stall",
            Self::Refuse => "refused connections",
            Self::Break(Action::Cut) => "cut connections",
            Self::Break(Action::Reset) => "reset connections",
            Self::Break(Action::HalfClose) => "half-closed connections",
            Self::Break(Action::Abandon) => "abandoned connections",
        }
    }
}

/// The troubles of one run.
pub(super) struct Schedule {
    link: Link,
    random: SmallRng,
}

impl Schedule {
    pub(super) fn new(seed: u64, link: Link) -> Self {
        let seed = seed.wrapping_mul(31).wrapping_add(link as u64);
        Self { link, random: SmallRng::seed_from_u64(seed) }
    }

    /// Every trouble once. Returns the longest time until everything worked again, and after which trouble.
    pub(super) async fn round(
        &mut self,
        all: &Installations,
        loads: &Loads,
    ) -> anyhow::Result<(Duration, &'static str)> {
        let mut troubles: Vec<Trouble> =
            Trouble::ALL.into_iter().filter(|trouble| trouble.can_end(self.link)).collect();
        troubles.shuffle(&mut self.random);
        let mut slowest = (Duration::ZERO, "");
        for trouble in troubles {
            self.make(trouble, all).await;
            let recovered = loads.product.recovered(Instant::now()).await?;
            slowest = slowest.max((recovered, trouble.name()));
        }
        Ok(slowest)
    }

    async fn make(&mut self, trouble: Trouble, all: &Installations) {
        let proxies: Vec<&Proxy> = all.stages().flat_map(|stage| &stage.proxies).collect();
        let mut time = |from: u64, to: u64| Duration::from_millis(self.random.random_range(from..to));
        let mode = match trouble {
            Trouble::Delay => Mode::Delay(time(50, 200)),
            Trouble::Stall => Mode::Stall,
            Trouble::Refuse => Mode::Refuse,
            Trouble::Break(action) => {
                for _ in 0..TIMES {
                    proxies.iter().for_each(|proxy| proxy.act(action));
                    sleep(time(50, 300)).await;
                }
                return;
            }
        };
        if mode == Mode::Refuse {
            proxies.iter().for_each(|proxy| proxy.act(Action::Cut));
        }
        proxies.iter().for_each(|proxy| proxy.set(mode));
        sleep(time(1_000, 3_000)).await;
        proxies.iter().for_each(|proxy| proxy.set(Mode::Pass));
    }
}

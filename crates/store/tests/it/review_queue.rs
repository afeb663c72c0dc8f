//! Leases when many ask at the very same moment.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use reflect_store::{QueueFilter, Reach, ReviewChange};
use reflect_types::{ReviewId, TraceId};

use crate::given;

const MINUTE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn however_many_ask_at_once_each_run_has_one_holder() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (mut rounds, mut contended) = (0, 0);
    for _ in 0..30 {
        let mut runs: Vec<TraceId> = Vec::new();
        for _ in 0..6 {
            let run = given::trace("sort");
            project.traces().record(&run, None).await.unwrap();
            runs.push(run.trace_id);
        }
        let mut asking = tokio::task::JoinSet::new();
        for holder in 0..8 {
            let (project, runs) = (project.clone(), runs.clone());
            asking.spawn(async move {
                let holder = format!("holder {holder}");
                let got = project.queue().lease(&holder, &runs, 4, MINUTE, false).await.unwrap();
                (holder, got)
            });
        }
        let mut holders: HashMap<TraceId, String> = HashMap::new();
        for (holder, got) in asking.join_all().await {
            contended += usize::from(got.len() < 4);
            for lease in got {
                let before = holders.insert(lease.trace_id, holder.clone());
                assert_eq!(before, None, "{} was given to two", lease.trace_id);
            }
        }
        rounds += usize::from(holders.len() == runs.len());
    }
    // What was passed over because somebody held it for a moment is got by asking again; most is got at once.
    assert!(
        rounds > 0 && contended > 0,
        "{rounds} rounds in which all were given, {contended} that got less"
    );
}

#[tokio::test]
async fn a_run_that_was_judged_since_it_was_looked_at_is_not_leased() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let run = given::trace("sort");
    project.traces().record(&run, None).await.unwrap();
    let reach = Reach { newest: 10, ..Reach::default() };
    let found = project.queue().waiting("ana", &QueueFilter::default(), reach, &[], false).await.unwrap();
    assert_eq!((found.total, found.runs.len()), (1, 1));

    let review = given::reviewed("sort").review.unwrap();
    let change = ReviewChange { trace: run.trace_id, instead_of: None, review: Some(&review), lesson: None };
    assert!(project.reviews().change(&change, &given::actor(), None).await.unwrap());

    assert!(project.queue().lease("ana", &[run.trace_id], 1, MINUTE, false).await.unwrap().is_empty());
    assert!(project.queue().counts().await.unwrap().pending == 0);
}

#[tokio::test]
async fn a_run_whose_verdict_was_taken_back_is_its_readers_again_unless_somebody_else_was_given_it() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let mut runs: Vec<TraceId> = Vec::new();
    for _ in 0..3 {
        let run = given::trace("sort");
        project.traces().record(&run, None).await.unwrap();
        runs.push(run.trace_id);
    }
    project.queue().lease("ana", &runs, 3, MINUTE, false).await.unwrap();
    let held = async |holder: &str| {
        let leases = project.queue().renew(holder, &runs, MINUTE).await.unwrap();
        leases.iter().map(|lease| lease.trace_id).collect::<HashSet<_>>()
    };
    let mut reviews: Vec<ReviewId> = Vec::new();
    for trace in runs.clone() {
        let review = given::reviewed("sort").review.unwrap();
        let judged = ReviewChange { trace, instead_of: None, review: Some(&review), lesson: None };
        assert!(project.reviews().change(&judged, &given::actor(), None).await.unwrap());
        reviews.push(review.review_id);
    }
    assert!(held("ana").await.is_empty(), "what has a verdict is on nobody's desk");

    for (trace, before) in runs.iter().copied().zip(reviews).take(2) {
        let back = ReviewChange { trace, instead_of: Some(before), review: None, lesson: None };
        assert!(project.reviews().change(&back, &given::actor(), None).await.unwrap());
    }
    project.queue().lease("ben", &runs[1..2], 1, MINUTE, false).await.unwrap();

    assert_eq!(held("ana").await, HashSet::from([runs[0]]));
    assert_eq!(held("ben").await, HashSet::from([runs[1]]));
}

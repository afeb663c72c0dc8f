//! The state machine alone: with any input it ends within the maximum number of trials and can be serialised after each step.

use proptest::prelude::*;
use reflection_pipeline::{ReflectionLevel, ReflectionResult, ReflectionType};
use reflexion_loop::*;

/// Random numbers that determine the results of the steps.
struct Chance(Vec<u8>, usize);

impl Chance {
    fn next(&mut self, below: u8) -> u8 {
        let value = self.0[self.1 % self.0.len()];
        self.1 += 1;
        value % below
    }
}

prop_compose! {
    fn configs()(
        max_trials in 1_u32..6,
        memory_size in 0_usize..4,
        parallel in 1_u32..4,
        kinds in prop::array::uniform8(0_u8..5),
        calls in prop::option::of(1_u32..20),
        threshold in prop::option::of(0.0_f64..=1.0),
    ) -> RunConfig {
        let [carry, recall, record, credit, stall, repair, components, all] = kinds;
        let options = Options {
            max_trials,
            memory_size,
            parallel,
            carry_over: [CarryOver::None, CarryOver::LastAttempt, CarryOver::Reflections, CarryOver::Both,
                CarryOver::FullHistory][carry as usize],
            recall: if recall % 2 == 0 { RecallWhen::Once } else { RecallWhen::EveryTrial },
            record: [RecordWhen::EachTrial, RecordWhen::FinalOnly, RecordWhen::Deferred][record as usize % 3],
            credit: [CreditPolicy::FirstShown, CreditPolicy::EveryTrial, CreditPolicy::FinalOnly][credit as usize % 3],
            stall: if stall % 2 == 0 { Stall::Ignore } else { Stall::StopOnRepeat },
            repair_unclear: repair % 2 == 0,
            record_all_candidates: all % 2 == 0,
            reflect_on_pass: all > 2,
            budget: Budget { calls, ..Budget::default() },
            score_threshold: threshold,
            ..Options::default()
        };
        let participants = Participants {
            reflector: components > 0,
            memory: components > 1,
            memory_wants_reflections: components > 2,
            hooks_want_reflections: components > 3,
        };
        RunConfig { options, participants }
    }
}

/// A possible result of the next step.
fn happens(state: &RunState, step: &NextStep, chance: &mut Chance) -> Transition {
    let text = |chance: &mut Chance| format!("text {}", chance.next(3));
    match step {
        NextStep::Begin => Transition::Begun,
        NextStep::Recall { .. } => {
            let memories = (0..chance.next(3)).map(|id| (format!("r{id}"), "text"));
            Transition::Recalled(Recall::of(memories))
        }
        NextStep::Start { .. } => Transition::Started { at: "then".into() },
        NextStep::Attempt { act, evaluate, .. } => {
            let acts = evaluate.is_empty() || (!act.is_empty() && chance.next(2) == 0);
            if acts {
                let attempt = Attempt::from(text(chance));
                let attempt = if chance.next(4) == 0 { attempt.failed("gave up") } else { attempt };
                let candidate = act[chance.next(100) as usize % act.len()];
                return Transition::Acted { candidate, attempt };
            }
            let verdict =
                [Verdict::Fail, Verdict::Fail, Verdict::Unclear, Verdict::Pass][chance.next(4) as usize];
            let score = Score::new(f64::from(chance.next(10)) / 10.0).unwrap();
            let evaluation = Evaluation::new(verdict).with_score(score).with_feedback(text(chance));
            let candidate = evaluate[chance.next(100) as usize % evaluate.len()];
            Transition::Evaluated { candidate, evaluation, is_final: chance.next(2) == 0 }
        }
        NextStep::Reflect { .. } => Transition::Reflected(ReflectionResult::new(
            ReflectionType::Failure,
            ReflectionLevel::Medium,
            text(chance),
        )),
        NextStep::Announce { .. } => Transition::Announced,
        NextStep::Record { trial, candidate } => Transition::Recorded {
            candidate: *candidate,
            recorded: Recorded { trace_id: None, memory_id: Some(format!("m{trial}")) },
        },
        NextStep::End { .. } => Transition::Ended { at: "now".into() },
        NextStep::Stop { stop } => Transition::Stopped(*stop),
        NextStep::Finished { .. } => unreachable!("{:?} has ended", state.phase),
    }
}

/// Every state until the end, with the amount of random input that was used.
fn walk(mut state: RunState, config: &RunConfig, chance: &mut Chance) -> Vec<(RunState, usize)> {
    let mut states = vec![(state.clone(), chance.1)];
    loop {
        let step = state.next_step(config);
        if matches!(step, NextStep::Finished { .. }) {
            return states;
        }
        // All costs are counted.
        if matches!(step, NextStep::Attempt { .. } | NextStep::Reflect { .. }) {
            let price = Price { calls: 1, ..Price::default() };
            state.apply(config, Transition::Paid(price)).unwrap();
        }
        let transition = happens(&state, &step, chance);
        state.apply(config, transition).unwrap();
        states.push((state.clone(), chance.1));
        assert!(states.len() < 1_000, "it does not end: {:?}", state.phase);
    }
}

/// Fails at the positions in its list.
fn shaky(breaks: Vec<bool>) -> impl Actor {
    let calls = std::sync::atomic::AtomicUsize::new(0);
    actor_fn(move |cx: TrialContext| {
        let call = calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let works = !breaks.get(call).copied().unwrap_or(false);
        cx.delta("working");
        async move { if works { Ok(format!("answer {}", cx.trial())) } else { Err("it broke") } }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn numbers_strictly_increase_however_often_a_run_breaks_and_resumes(
        breaks in prop::collection::vec(any::<bool>(), 0..8),
        passing in 0_u32..6,
        parallel in 1_u32..3,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let learner = crate::stage::learner(passing).actor(shaky(breaks)).options(Options { parallel, max_trials: 4, ..Options::default() });
        let learner = learner.build().unwrap();
        let (seqs, outcome) = runtime.block_on(async {
            let (mut seqs, mut run) = (Vec::new(), learner.start("task"));
            loop {
                let (events, outcome) = crate::stage::watched(run).await;
                seqs.extend(events.iter().map(|envelope| envelope.seq));
                match outcome {
                    Ok(outcome) => return (seqs, outcome),
                    Err(error) => run = learner.resume(*error.partial),
                }
            }
        });

        prop_assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]));
        let expected = if (1..=4).contains(&passing) { passing as usize } else { 4 };
        prop_assert_eq!(outcome.state.trials.len(), expected);
    }
}

proptest! {
    #[test]
    fn it_never_has_more_than_max_trials_and_always_ends(
        config in configs(),
        luck in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let states = walk(RunState::new("run", "task", &config.options), &config, &mut Chance(luck, 0));

        let max = config.options.max_trials as usize;
        for (state, _) in &states {
            let open = usize::from(state.open.is_some());
            prop_assert!(state.trials.len() + open <= max);
            prop_assert!(state.notes.len() <= config.options.memory_size);
            let numbers = state.trials.iter().map(|trial| trial.number as usize);
            prop_assert!(numbers.eq(1..=state.trials.len()));
        }
        let (last, _) = states.last().unwrap();
        let stop = last.stop().unwrap();
        let passed = last.trials.last().is_some_and(|trial| trial.verdict == Verdict::Pass);
        prop_assert_eq!(stop.is_success(), passed);
        prop_assert_eq!(last.trials[..last.trials.len().saturating_sub(1)].iter().filter(|trial| trial.verdict == Verdict::Pass).count(), 0);
        if stop == Stop::MaxTrials {
            prop_assert_eq!(last.trials.len(), max);
        }
    }

    #[test]
    fn a_state_that_is_written_down_and_read_goes_on_in_the_same_way(
        config in configs(),
        luck in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let states = walk(RunState::new("run", "task", &config.options), &config, &mut Chance(luck.clone(), 0));
        let (end, _) = states.last().unwrap();

        for (state, used) in &states {
            let written = serde_json::to_string(state).unwrap();
            let read: RunState = serde_json::from_str(&written).unwrap();
            prop_assert_eq!(&read, state);
            prop_assert_eq!(read.next_step(&config), state.next_step(&config));
            let resumed = walk(read, &config, &mut Chance(luck.clone(), *used));
            prop_assert_eq!(&resumed.last().unwrap().0, end);
        }
    }

    #[test]
    fn a_memory_answers_for_one_trial_at_most_by_default(
        config in configs(),
        luck in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let options = Options { credit: CreditPolicy::FirstShown, ..config.options };
        let config = RunConfig { options, ..config };
        let states = walk(RunState::new("run", "task", &config.options), &config, &mut Chance(luck, 0));

        let (last, _) = states.last().unwrap();
        let mut credited: Vec<&String> = last.trials.iter().flat_map(|trial| &trial.credited).collect();
        let all = credited.len();
        credited.sort();
        credited.dedup();
        prop_assert_eq!(credited.len(), all);
    }

    #[test]
    fn stopping_anywhere_ends_it_and_keeps_what_has_ended(
        config in configs(),
        luck in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        let states = walk(RunState::new("run", "task", &config.options), &config, &mut Chance(luck, 0));

        for (state, _) in states.iter().filter(|(state, _)| state.stop().is_none()) {
            let mut stopped = state.clone();
            stopped.apply(&config, Transition::Stopped(Stop::Cancelled)).unwrap();
            prop_assert_eq!(stopped.stop(), Some(Stop::Cancelled));
            prop_assert_eq!(&stopped.trials, &state.trials);
            prop_assert_eq!(stopped.interrupted, Some(state.phase));
        }
    }
}

#[test]
fn what_cannot_have_happened_is_refused() {
    let config = RunConfig::default();
    let mut state = RunState::new("run", "task", &config.options);

    let refused = state.apply(&config, Transition::Announced);
    state.apply(&config, Transition::Begun).unwrap();
    state.apply(&config, Transition::Started { at: String::new() }).unwrap();
    let stranger = state.apply(&config, Transition::Acted { candidate: 2, attempt: Attempt::from("x") });
    state.apply(&config, Transition::Acted { candidate: 1, attempt: Attempt::from("x") }).unwrap();
    let twice = state.apply(&config, Transition::Acted { candidate: 1, attempt: Attempt::from("x") });

    assert!(refused.unwrap_err().to_string().contains("while the run is in New"));
    assert!(stranger.is_err() && twice.is_err());
    assert_eq!(state.phase, Phase::Evaluate { trial: 1 });
}

//! Moving without deciding: between runs, between steps, and in the full trajectory.

use reflect_api::TraceSteps;

use crate::review::effects::Effect;
use crate::review::state::ReviewState;
use crate::review::state::trajectory_view::TrajectoryView;

pub(super) fn move_by(state: &mut ReviewState, by: isize) -> Vec<Effect> {
    if let Some(next) = state.queue.neighbour(by) {
        state.notice = None;
        state.go_to(next);
    }
    Vec::new()
}

/// Opens the full trajectory, or closes it.
pub(super) fn toggle_trajectory(state: &mut ReviewState) -> Vec<Effect> {
    if state.trajectory.take().is_some() {
        return Vec::new();
    }
    let Some(trace) = state.queue.current_id() else { return Vec::new() };
    let at = state.step_number().map_or(0, |number| number.saturating_sub(1));
    state.trajectory = Some(TrajectoryView::loading(trace, at));
    vec![Effect::LoadSteps { trace, from: 0 }]
}

pub(super) fn steps_loaded(state: &mut ReviewState, page: TraceSteps) -> Vec<Effect> {
    let Some(view) = state.trajectory.as_mut().filter(|view| view.trace() == page.trace_id) else {
        return Vec::new();
    };
    view.add(page);
    load_more(view)
}

fn load_more(view: &mut TrajectoryView) -> Vec<Effect> {
    let from = view.start_load();
    from.map(|from| Effect::LoadSteps { trace: view.trace(), from }).into_iter().collect()
}

pub(super) fn step_by(state: &mut ReviewState, by: isize) -> Vec<Effect> {
    if let Some(view) = &mut state.trajectory {
        view.step_by(by);
        return load_more(view);
    }
    let steps = state.queue.current().and_then(|item| item.trace.digest.steps.as_ref());
    let last = steps.map_or(0, |steps| steps.listed.len()).saturating_sub(1);
    state.step = state.step.saturating_add_signed(by).min(last);
    Vec::new()
}

/// Selects the next step that failed, and after the last one the first.
pub(super) fn next_error(state: &mut ReviewState) -> Vec<Effect> {
    if let Some(view) = &mut state.trajectory {
        view.next_error();
        return load_more(view);
    }
    let steps = state.queue.current().and_then(|item| item.trace.digest.steps.as_ref());
    let failed: Vec<usize> = steps.map_or(Vec::new(), |steps| {
        (0..steps.listed.len()).filter(|index| steps.listed[*index].failed).collect()
    });
    if let Some(next) = failed.iter().find(|index| **index > state.step).or(failed.first()) {
        state.step = *next;
    } else {
        state.notice = Some("No step of this run failed.".to_owned());
    }
    Vec::new()
}

pub(super) fn scroll_by(state: &mut ReviewState, by: isize) -> Vec<Effect> {
    match &mut state.trajectory {
        // Scrolling up from the first line of a step goes to the step before.
        Some(view) if by < 0 && view.scroll == 0 => return step_by(state, -1),
        Some(view) => view.scroll = view.scroll.saturating_add_signed(by),
        None => state.scroll = state.scroll.saturating_add_signed(by),
    }
    Vec::new()
}

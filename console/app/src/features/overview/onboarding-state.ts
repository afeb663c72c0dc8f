// The onboarding state of a project, stored in this browser.

export type OnboardingState = { dismissed: boolean; lookedAtUse: boolean };

const DEFAULTS: OnboardingState = { dismissed: false, lookedAtUse: false };
const storageKey = (project: string) => `reflect.first.${project}`;

export function readOnboardingState(project: string): OnboardingState {
  try {
    return {
      ...DEFAULTS,
      ...(JSON.parse(localStorage.getItem(storageKey(project)) ?? "{}") as Partial<OnboardingState>),
    };
  } catch {
    return DEFAULTS;
  }
}

export function saveOnboardingState(project: string, state: OnboardingState): OnboardingState {
  try {
    localStorage.setItem(storageKey(project), JSON.stringify(state));
  } catch {
    // Without storage, the state lasts as long as the tab.
  }
  return state;
}

// What this browser remembers of the first round in a project.

export type Remembered = { dismissed: boolean; lookedAtUse: boolean };

const USUAL: Remembered = { dismissed: false, lookedAtUse: false };
const place = (project: string) => `reflect.first.${project}`;

export function readSeen(project: string): Remembered {
  try {
    return {
      ...USUAL,
      ...(JSON.parse(localStorage.getItem(place(project)) ?? "{}") as Partial<Remembered>),
    };
  } catch {
    return USUAL;
  }
}

export function remember(project: string, told: Remembered): Remembered {
  try {
    localStorage.setItem(place(project), JSON.stringify(told));
  } catch {
    // It then lasts as long as the tab.
  }
  return told;
}

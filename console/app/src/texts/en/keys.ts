/** The errors of a table of keys. The names of actions are separate words: the settings replace them with labels. */
export const keys = {
  conflicts: {
    twice: (key: string, first: string, second: string) =>
      `${key} is assigned to both ${first} and ${second}`,
    verdict: (key: string) => `${key} must not be assigned to a verdict`,
    typing: (key: string) => `${key} would run while the user types`,
    start: (key: string, sequence: string) => `${key} is a key and also starts ${sequence}`,
  },
};

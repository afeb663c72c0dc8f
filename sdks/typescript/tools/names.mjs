/** The same conversions as src/wire/names.ts, for the generator, which runs before anything is compiled. */

export const camelCase = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

export const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

import { number } from "../../../parts/time";

export const input = {
  wholeNumber: (name: string, least: number, most: number) =>
    `${name}: enter a whole number from ${number(least)} to ${number(most)}, or leave it empty.`,
  percentage: (name: string, most: number) => `${name}: enter a number from 0 to ${number(most)}.`,
  decimal: (name: string, least: number, most: number) =>
    `${name}: enter a number from ${number(least)} to ${number(most)}.`,
  saved: "Saved.",
};

/** Converts between the names of the HTTP contract (snake_case) and of this client (camelCase). */

import { MAPS, OPAQUE } from "../generated/opaque.js";

/** A response body with the client's names. The keys of metadata, trajectories and the like are not changed. */
export function toClient(value: unknown): unknown {
  return renamed(
    value,
    (name) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    (name) => name,
  );
}

/** A request body with the names of the contract. */
export function toContract(value: unknown): unknown {
  return renamed(value, contractName, contractName);
}

/** One name of the contract. */
export function contractName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function renamed(
  value: unknown,
  rename: (name: string) => string,
  contract: (name: string) => string,
  isMap = false,
): unknown {
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, rename, contract));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) =>
      isMap
        ? [name, renamed(entry, rename, contract)]
        : [
            rename(name),
            OPAQUE.has(contract(name)) ? entry : renamed(entry, rename, contract, MAPS.has(contract(name))),
          ],
    ),
  );
}

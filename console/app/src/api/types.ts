// The shapes of the contract by their names.
import type { components } from "./schema";

export type Schemas = components["schemas"];
export type Session = Schemas["ConsoleSession"];
export type Role = Schemas["MemberRole"];
export type Scope = Schemas["Scope"];
export type Overview = Schemas["Overview"];

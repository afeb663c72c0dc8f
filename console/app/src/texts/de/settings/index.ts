import type { Texts } from "../../en";
import { actions } from "./actions";
import { audit } from "./audit";
import { data } from "./data";
import { embedding } from "./embedding";
import { erase } from "./erase";
import { form } from "./form";
import { input } from "./input";
import { invite } from "./invite";
import { judge } from "./judge";
import { keyActions } from "./key-actions";
import { keyboard } from "./keyboard";
import { keys } from "./keys";
import { lessons } from "./lessons";
import { members } from "./members";
import { migration } from "./migration";
import { project } from "./project";
import { recordKey } from "./record-key";
import { retention } from "./retention";
import { roles } from "./roles";
import { scopes } from "./scopes";
import { sections } from "./sections";
import { signals } from "./signals";
import { system } from "./system";
import { testJudge } from "./test-judge";
import { webhooks } from "./webhooks";

export const settings: Texts["settings"] = {
  actions,
  audit,
  data,
  embedding,
  erase,
  form,
  input,
  invite,
  judge,
  keyActions,
  keyboard,
  keys,
  lessons,
  members,
  migration,
  project,
  recordKey,
  retention,
  roles,
  scopes,
  sections,
  signals,
  system,
  testJudge,
  webhooks,
};

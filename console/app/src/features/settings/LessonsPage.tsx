// Settings of lessons: grouping, contradictions, inferred use, the weight of utility; and the grouping of older
// memories.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { groupingQuery, revertGrouping, startGrouping } from "../../api/lessons";
import { projectQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { notify } from "../../parts/notifications";
import { ProgressBar } from "../../parts/ProgressBar";
import { counted } from "../../parts/time";
import { PageHead } from "../../shell/Page";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { ConfirmSheet } from "./ConfirmSheet";
import { Block, Checkbox, ErrorText, type FormProps, RadioGroup, Save, SectionBody } from "./form";
import { useSettingsPatch } from "./useSettingsPatch";

type Lessons = Required<Schemas["ProjectLessons"]>;

export function LessonsPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(projectQuery(project));
  const canEdit = usePermission("project:admin");
  return (
    <>
      <PageHead title="Lessons" about="one lesson for many situations" />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what="change these settings" />}
        <ErrorText error={error} />
        {data === undefined ? null : <LessonsForm project={project} data={data} canEdit={canEdit} />}
        <OlderMemories project={project} canEdit={canEdit} />
      </SectionBody>
    </>
  );
}

const GROUPINGS = [
  {
    value: "automatic",
    label: "Automatic",
    hint: "by the correct action, the tools or the text; if these do not decide, a language model is asked",
  },
  {
    value: "structure",
    label: "Without a model",
    hint: "only if the correct action, the tools or the text are the same",
  },
  { value: "off", label: "Off", hint: "only lessons with the same text are one lesson" },
] as const;

const WEIGHTS = [
  { value: "default", label: "Constant", hint: "0.5" },
  {
    value: "replay",
    label: "Learned",
    hint: "the weight that would have served earlier reviewed runs best; 0.3 until 200 reviews",
  },
] as const;

const DEFAULTS: Lessons = {
  grouping: "automatic",
  absorb: true,
  supersede: true,
  infer_use: true,
  utility_weight: "default",
};

function LessonsForm({ project, data, canEdit }: FormProps) {
  const [draft, setDraft] = useState<Partial<Lessons>>({});
  const patch = useSettingsPatch(project, () => setDraft({}));
  const stored: Lessons = { ...DEFAULTS, ...data.lessons };
  const value = { ...stored, ...draft };
  const changed = (Object.keys(stored) as (keyof Lessons)[]).some((name) => value[name] !== stored[name]);
  const set = (change: Partial<Lessons>) => setDraft({ ...draft, ...change });
  return (
    <Block
      title="New runs"
      about="What a reviewed run does to the lessons that exist. Every automatic change can be undone, on the page of the lesson and under Actions."
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ lessons: value });
        }}
      >
        <RadioGroup
          legend="Group runs with the same advice into one lesson"
          value={value.grouping}
          disabled={!canEdit}
          options={GROUPINGS}
          onChange={(grouping) => set({ grouping })}
        />
        <Checkbox
          label="Count repeated runs instead of adding situations"
          hint="A repeated run has the same advice as an earlier one, for nearly the same task."
          checked={value.absorb}
          disabled={!canEdit}
          onChange={(absorb) => set({ absorb })}
        />
        <Checkbox
          label="Supersede memories that a newer run contradicts"
          hint="Only those whose results are worse than expected. If the results do not decide, a question is asked."
          checked={value.supersede}
          disabled={!canEdit}
          onChange={(supersede) => set({ supersede })}
        />
        <Checkbox
          label="Infer which lessons a run used"
          hint="From what the run did, if the agent does not report it. A report of the agent always counts."
          checked={value.infer_use}
          disabled={!canEdit}
          onChange={(infer_use) => set({ infer_use })}
        />
        <RadioGroup
          legend="Weight of utility against similarity, if a query names none"
          value={value.utility_weight}
          disabled={!canEdit}
          options={WEIGHTS}
          onChange={(utility_weight) => set({ utility_weight })}
        />
        <ErrorText error={patch.error} />
        {canEdit ? <Save changed={changed} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}

const STATES: Readonly<Record<Schemas["GroupingState"], string>> = {
  waiting: "Waiting. It starts within an hour, unless grouping is off.",
  running: "Running.",
  done: "Done.",
  reverted: "Reverted. If the revert was interrupted, repeat it. Groups made by people stay.",
};

function OlderMemories(props: { project: string; canEdit: boolean }) {
  const { project } = props;
  const client = useQueryClient();
  const { data, error } = useQuery(groupingQuery(project));
  const [asking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (which: "start" | "revert") =>
      which === "start" ? startGrouping(project) : revertGrouping(project),
    onSuccess: (_, which) => {
      setAsking(false);
      notify({ text: which === "start" ? "The grouping starts soon." : "Reverted. Grouping is off now." });
    },
    // Lessons, memories and the setting change too.
    onSettled: () => client.invalidateQueries({ queryKey: [project] }),
  });
  return (
    <Block
      title="Older memories"
      about="Memories from before lessons were grouped are grouped in the background. Each keeps its credit and its own words."
    >
      <ErrorText error={error} />
      {data === undefined ? null : (
        <>
          <p role="status">
            {STATES[data.state]} {counted(data.lessons, "lesson", "lessons")} from{" "}
            {counted(data.situations, "situation", "situations")}.
          </p>
          {data.state === "running" ? (
            <ProgressBar label="Memories grouped" value={data.done} of={data.total} />
          ) : null}
          {props.canEdit ? (
            <p className="flex flex-wrap gap-2">
              {data.state === "reverted" ? (
                <button
                  type="button"
                  className="btn"
                  disabled={change.isPending}
                  onClick={() => change.mutate("start")}
                >
                  Group again
                </button>
              ) : null}
              {/* The state is set before anything is undone, so a revert may have to be repeated in it. */}
              <button
                type="button"
                className="btn"
                disabled={change.isPending}
                onClick={() => {
                  change.reset();
                  setAsking(true);
                }}
              >
                Revert the grouping
              </button>
            </p>
          ) : null}
          {asking ? null : <ErrorText error={change.error} />}
        </>
      )}
      {asking ? (
        <ConfirmSheet
          title="Revert the grouping?"
          action="Revert"
          busy={change.isPending}
          error={change.error}
          onDo={() => change.mutate("revert")}
          onClose={() => setAsking(false)}
        >
          <p>
            The grouping of older memories and all automatic grouping after it are undone, and grouping is
            turned off. Changes by people stay. You can group again later.
          </p>
        </ConfirmSheet>
      ) : null}
    </Block>
  );
}

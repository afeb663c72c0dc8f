// Settings of lessons: grouping, contradictions, inferred use, the weight of utility; and the grouping of older
// memories.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { groupingQuery, revertGrouping, startGrouping } from "../../api/lessons";
import { projectQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { notify } from "../../parts/notifications";
import { ProgressBar } from "../../parts/ProgressBar";
import { PageHead } from "../../shell/Page";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { t } from "../../texts";
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
      <PageHead title={t.settings.lessons.title} about={t.settings.lessons.about} />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what={t.settings.lessons.changeSettings} />}
        <ErrorText error={error} />
        {data === undefined ? null : <LessonsForm project={project} data={data} canEdit={canEdit} />}
        <OlderMemories project={project} canEdit={canEdit} />
      </SectionBody>
    </>
  );
}

const GROUPINGS = ["automatic", "structure", "off"] as const;
const WEIGHTS = ["default", "replay"] as const;

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
  const texts = t.settings.lessons.newRuns;
  return (
    <Block
      title={texts.title}
      about={texts.about(
        <Link className="link" to="/p/$project/settings/actions" params={{ project }}>
          {texts.actions}
        </Link>,
      )}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          patch.mutate({ lessons: value });
        }}
      >
        <RadioGroup
          legend={texts.grouping}
          value={value.grouping}
          disabled={!canEdit}
          options={GROUPINGS.map((one) => ({ value: one, ...texts.groupings[one] }))}
          onChange={(grouping) => set({ grouping })}
        />
        <Checkbox
          label={texts.absorb}
          hint={texts.absorbHint}
          checked={value.absorb}
          disabled={!canEdit}
          onChange={(absorb) => set({ absorb })}
        />
        <Checkbox
          label={texts.supersede}
          hint={texts.supersedeHint}
          checked={value.supersede}
          disabled={!canEdit}
          onChange={(supersede) => set({ supersede })}
        />
        <Checkbox
          label={texts.inferUse}
          hint={texts.inferUseHint}
          checked={value.infer_use}
          disabled={!canEdit}
          onChange={(infer_use) => set({ infer_use })}
        />
        <RadioGroup
          legend={texts.weight}
          value={value.utility_weight}
          disabled={!canEdit}
          options={WEIGHTS.map((one) => ({ value: one, ...texts.weights[one] }))}
          onChange={(utility_weight) => set({ utility_weight })}
        />
        <ErrorText error={patch.error} />
        {canEdit ? <Save changed={changed} busy={patch.isPending} /> : null}
      </form>
    </Block>
  );
}

function OlderMemories(props: { project: string; canEdit: boolean }) {
  const { project } = props;
  const texts = t.settings.lessons.older;
  const client = useQueryClient();
  const { data, error } = useQuery(groupingQuery(project));
  const [asking, setAsking] = useState(false);
  const change = useMutation({
    mutationFn: (which: "start" | "revert") =>
      which === "start" ? startGrouping(project) : revertGrouping(project),
    onSuccess: (_, which) => {
      setAsking(false);
      notify({ text: which === "start" ? texts.starts : texts.reverted });
    },
    // Lessons, memories and the setting change too.
    onSettled: () => client.invalidateQueries({ queryKey: [project] }),
  });
  return (
    <Block title={texts.title} about={texts.about}>
      <ErrorText error={error} />
      {data === undefined ? null : (
        <>
          <p role="status">
            {texts.states[data.state]} {texts.counts(data.lessons, data.situations)}
          </p>
          {data.state === "running" ? (
            <ProgressBar label={texts.progress} value={data.done} of={data.total} />
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
                  {texts.groupAgain}
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
                {texts.revert}
              </button>
            </p>
          ) : null}
          {asking ? null : <ErrorText error={change.error} />}
        </>
      )}
      {asking ? (
        <ConfirmSheet
          title={texts.confirm}
          action={texts.confirmSubmit}
          busy={change.isPending}
          error={change.error}
          onDo={() => change.mutate("revert")}
          onClose={() => setAsking(false)}
        >
          <p>{texts.confirmAbout}</p>
        </ConfirmSheet>
      ) : null}
    </Block>
  );
}

// Erases all data of one run or one subject. This cannot be undone, so the user must type the name again.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { erasureQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
import { t } from "../../texts";
import { ConfirmSheet } from "./ConfirmSheet";
import { Block, RadioGroup, Field, ErrorText } from "./form";

type What = "subject" | "trace_id";

export function EraseForm({ project }: { project: string }) {
  const [what, setWhat] = useState<What>("subject");
  const [name, setName] = useState("");
  const [memories, setMemories] = useState<Schemas["ErasedMemories"]>("delete");
  const [asking, setAsking] = useState(false);
  const [again, setAgain] = useState("");
  const erase = useMutation({
    mutationFn: () =>
      body(
        api.POST("/v1/projects/{project_id}/erasures", {
          params: { path: { project_id: project } },
          body: { [what]: name.trim(), memories },
        }),
      ),
    onSuccess: () => {
      setAsking(false);
      setName("");
    },
  });
  const texts = t.settings.erase;
  const chosen = what === "subject" ? texts.subject : texts.run;
  return (
    <Block title={texts.title} about={texts.about}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          setAgain("");
          erase.reset();
          setAsking(true);
        }}
      >
        <RadioGroup
          legend={texts.what}
          value={what}
          options={[
            { value: "subject", label: texts.subject.option, hint: texts.subject.optionHint },
            { value: "trace_id", label: texts.run.option, hint: "" },
          ]}
          onChange={setWhat}
        />
        <Field label={chosen.label} hint={what === "subject" ? undefined : texts.run.hint}>
          {(names) => (
            <input
              {...names}
              className="field"
              required
              maxLength={500}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <RadioGroup
          legend={texts.lessons}
          value={memories}
          options={[
            { value: "delete", label: texts.delete, hint: texts.deleteHint },
            { value: "keep", label: texts.keep, hint: texts.keepHint },
          ]}
          onChange={setMemories}
        />
        <p>
          <button type="submit" className="btn border-fail text-fail" disabled={name.trim() === ""}>
            {chosen.submit}
          </button>
        </p>
      </form>
      {erase.data === undefined ? null : <Report project={project} erasure={erase.data.id} />}
      {asking ? (
        <ConfirmSheet
          title={chosen.confirm}
          action={texts.permanently}
          busy={erase.isPending}
          disabled={again.trim() !== name.trim()}
          error={erase.error}
          onDo={() => erase.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            {texts.warning(
              <strong className="break-all">{shown(name.trim())}</strong>,
              memories === "delete",
            )}
          </p>
          <Field label={chosen.again}>
            {(names) => (
              <input
                {...names}
                className="field"
                autoComplete="off"
                value={again}
                onChange={(event) => setAgain(event.target.value)}
              />
            )}
          </Field>
        </ConfirmSheet>
      ) : null}
    </Block>
  );
}

function Report(props: { project: string; erasure: string }) {
  const { data, error } = useQuery(erasureQuery(props.project, props.erasure));
  const texts = t.settings.erase;
  return (
    <div role="status" className="card flex flex-col gap-2 p-3">
      <ErrorText error={error} />
      {data === undefined ? null : (
        <>
          <p>
            {texts.removed(
              <strong>{texts.states[data.state]}</strong>,
              data.traces,
              data.finished_at == null ? null : <Time at={data.finished_at} />,
            )}{" "}
            <span className="text-sm text-soft">
              {texts.reference(<code className="text-xs">{data.id}</code>)}
            </span>
          </p>
          <ReportList title={texts.rows} items={removed(data.removed)} />
          <ReportList title={texts.stays} items={data.stays} />
          <ReportList title={texts.copies} items={data.copies} />
        </>
      )}
    </div>
  );
}

/** The tables with removed rows; the others in one line. */
function removed(rows: Readonly<Record<string, number>>): string[] {
  const none = Object.keys(rows).filter((table) => rows[table] === 0);
  const some = Object.entries(rows).filter(([, n]) => n > 0);
  return [
    ...some.map(([table, n]) => t.settings.erase.rowsOf(table, n)),
    ...(none.length === 0 ? [] : [t.settings.erase.noRowsIn(none.join(", "))]),
  ];
}

function ReportList(props: { title: string; items: readonly string[] }) {
  if (props.items.length === 0) return null;
  return (
    <div>
      <h3 className="text-sm font-semibold">{props.title}</h3>
      <ul className="list-disc ps-5 text-sm">
        {props.items.map((item) => (
          <li key={item}>{shown(item)}</li>
        ))}
      </ul>
    </div>
  );
}

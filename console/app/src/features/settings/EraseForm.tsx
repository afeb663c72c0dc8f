// Erases all data of one run or one subject. This cannot be undone, so the user must type the name again.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, body } from "../../api/client";
import { erasureQuery } from "../../api/settings";
import type { Schemas } from "../../api/types";
import { shown } from "../../parts/reveal";
import { Time } from "../../parts/time";
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
  const noun = what === "subject" ? "subject" : "run";
  return (
    <Block
      title="Erasure"
      about="Removes runs, their messages, the texts of their reviews, receipts for the same tasks and queued jobs. Runs in the background and continues after a restart."
    >
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
          legend="What to erase"
          value={what}
          options={[
            { value: "subject", label: "A subject", hint: "all runs whose metadata has this subject" },
            { value: "trace_id", label: "One run", hint: "" },
          ]}
          onChange={setWhat}
        />
        <Field label={what === "subject" ? "Subject" : "Id of the run"}>
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
          legend="Memories learned from these runs"
          value={memories}
          options={[
            {
              value: "delete",
              label: "Erase them too",
              hint: "with their vectors, and skills written from them",
            },
            { value: "keep", label: "Keep them", hint: "only if they contain no data about the subject" },
          ]}
          onChange={setMemories}
        />
        <p>
          <button type="submit" className="btn border-fail text-fail" disabled={name.trim() === ""}>
            Erase the {noun}
          </button>
        </p>
      </form>
      {erase.data === undefined ? null : <Report project={project} erasure={erase.data.id} />}
      {asking ? (
        <ConfirmSheet
          title={`Erase the ${noun}?`}
          action="Erase permanently"
          busy={erase.isPending}
          disabled={again.trim() !== name.trim()}
          error={erase.error}
          onDo={() => erase.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            All data of <strong className="break-all">{shown(name.trim())}</strong> will be erased
            {memories === "delete" ? ", including memories learned from it" : ""}. This cannot be undone.
          </p>
          <Field label={`Type the ${noun} again`}>
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
  return (
    <div role="status" className="card flex flex-col gap-2 p-3">
      <ErrorText error={error} />
      {data === undefined ? null : (
        <>
          <p>
            <strong>{data.state}</strong>, {data.traces.toLocaleString()} {data.traces === 1 ? "run" : "runs"}{" "}
            removed
            {data.finished_at == null ? (
              ""
            ) : (
              <>
                , finished <Time at={data.finished_at} />
              </>
            )}
            .{" "}
            <span className="text-sm text-soft">
              Erasure id: <code className="text-xs">{data.id}</code>.
            </span>
          </p>
          <ReportList title="Rows removed, by table" items={removed(data.removed)} />
          <ReportList title="What is kept, and why" items={data.stays} />
          <ReportList title="Where copies may remain" items={data.copies} />
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
    ...some.map(([table, n]) => `${table}: ${n.toLocaleString()}`),
    ...(none.length === 0 ? [] : [`none in ${none.join(", ")}`]),
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

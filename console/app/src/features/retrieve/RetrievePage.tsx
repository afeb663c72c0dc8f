// Tests retrieval for a task. Sends the same query as an agent and reads its receipt.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useRef } from "react";
import { base } from "../../api/base";
import { errorMessage } from "../../api/errors";
import { Key } from "../../keys/Key";
import { useScreenKeys } from "../../keys/KeyProvider";
import { Scroll } from "../../parts/Scroll";
import { useUrlText } from "../../parts/useUrlText";
import { PageHead } from "../../shell/Page";
import { notify } from "../../parts/notifications";
import { retrievalQuery } from "./query";
import { ResultView, PromptText } from "./ResultView";
import { pythonCode } from "./python-code";
import { Controls } from "./Controls";
import { ExampleTasks } from "./ExampleTasks";
import { RETRIEVE_KEYS } from "./keys";
import { type RetrievalResult, parameter, weightSource } from "./retrieval";
import { type Settings, withoutDefaults } from "./settings";

const ROUTE = "/p/$project/retrieve";

export function RetrievePage() {
  const { project } = useParams({ from: ROUTE });
  const settings = useSearch({ from: ROUTE });
  const navigate = useNavigate({ from: ROUTE });
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, setText, setSent } = useUrlText(settings.task ?? "");
  const asked = settings.task !== undefined;
  const { data, error, isFetching, refetch } = useQuery({
    ...retrievalQuery(project, settings),
    enabled: asked,
    placeholderData: keepPreviousData,
  });
  const answer = asked ? data : undefined;
  const change = (next: Settings) => void navigate({ search: (now) => withoutDefaults({ ...now, ...next }) });
  const ask = (task: string) => {
    if (task.trim() === "") return;
    if (task === settings.task) return void refetch();
    setSent(task);
    change({ task });
  };
  const copy = (what: string | undefined, message: string) => {
    if (what === undefined) return;
    void navigator.clipboard
      .writeText(what)
      .then(() => notify({ text: message }))
      .catch(() =>
        notify({ text: "The browser does not allow copying. Select the text and copy it.", tone: "bad" }),
      );
  };
  useScreenKeys(RETRIEVE_KEYS, {
    task: () => field.current?.focus(),
    ask: () => ask(text),
    cancel: () => field.current?.blur(),
    "copy-text": () => copy(answer?.augmented.augmented_task, "Copied the prompt text."),
    "copy-code": () =>
      asked && copy(pythonCode(`${location.origin}${base}`, project, settings), "Copied the Python code."),
  });
  return (
    <>
      <PageHead title="Retrieve" about={answer === undefined ? "" : <Timing answer={answer} />} />
      <Scroll label="Retrieve" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
        <form
          className="flex max-w-5xl items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            ask(text);
          }}
        >
          <label className="flex min-w-0 flex-1 flex-col gap-0.5 text-xs font-semibold text-soft">
            Task
            <textarea
              ref={field}
              rows={2}
              className="field text-base font-normal text-ink"
              placeholder="The task of the agent  (/)"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <button type="submit" className="btn btn-primary" disabled={text.trim() === "" || isFetching}>
            Query <Key name="Mod+Enter" />
          </button>
        </form>
        {asked ? (
          <Controls
            settings={settings}
            threshold={answer === undefined ? null : parameter(answer.receipt, "similarity_threshold")}
            weight={answer === undefined ? null : parameter(answer.receipt, "utility_weight")}
            onChange={change}
          />
        ) : null}
        {error === null || !asked ? null : (
          <p role="alert" className="text-fail">
            {errorMessage(error)}
          </p>
        )}
        {!asked ? (
          <ExampleTasks project={project} onAsk={(task) => change({ task })} />
        ) : answer === undefined ? null : (
          <div
            aria-busy={isFetching}
            className="grid gap-x-8 gap-y-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)]"
          >
            <div className="flex min-w-0 flex-col gap-4">
              <ResultView project={project} settings={settings} answer={answer} onChange={change} />
            </div>
            <PromptText project={project} settings={settings} answer={answer} />
          </div>
        )}
      </Scroll>
    </>
  );
}

function Timing(props: { answer: RetrievalResult }) {
  const { receipt } = props.answer;
  return (
    <>
      {receipt.considered.length} considered; embedding {Math.round(receipt.embed_ms)} ms, search{" "}
      {Math.round(receipt.search_ms)} ms; ranking {String(receipt.parameters.ranking ?? "not recorded")}
      {weightSource(receipt)}
    </>
  );
}

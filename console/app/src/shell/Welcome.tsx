// The start page for a member without projects.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { body, consoleApi } from "../api/client";
import { errorMessage } from "../api/errors";
import { sessionQuery } from "../api/queries";
import { t } from "../texts";

export function Welcome() {
  const { data: session, refetch } = useSuspenseQuery(sessionQuery);
  const navigate = useNavigate();
  const [slug, setSlug] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const make = async () => {
    try {
      await body(consoleApi.POST("/console/api/projects", { body: { project_id: slug } }));
      await refetch();
      await navigate({ to: "/p/$project", params: { project: slug } });
    } catch (thrown) {
      setProblem(errorMessage(thrown));
    }
  };
  const { welcome: texts } = t.shell;
  return (
    <main className="m-auto flex h-full max-w-md flex-col justify-center gap-3 p-8 max-md:p-4">
      <h1>{texts.title(session.member.name)}</h1>
      {session.member.manages_members ? (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void make();
          }}
        >
          <label htmlFor="slug">{texts.project}</label>
          <input
            id="slug"
            className="field"
            required
            maxLength={200}
            value={slug}
            onChange={(event) => setSlug(event.target.value)}
          />
          {problem === null ? null : (
            <p role="alert" className="text-fail">
              {problem}
            </p>
          )}
          <button type="submit" className="btn btn-primary self-start">
            {texts.create}
          </button>
        </form>
      ) : (
        <p>{texts.noAccess}</p>
      )}
    </main>
  );
}

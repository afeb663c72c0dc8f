// The start page of an installation in which the member sees no project yet.
import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { body, own } from "../api/client";
import { words } from "../api/failure";
import { sessionQuery } from "../api/queries";

export function Welcome() {
  const { data: session, refetch } = useSuspenseQuery(sessionQuery);
  const navigate = useNavigate();
  const [slug, setSlug] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const make = async () => {
    try {
      await body(own.POST("/console/api/projects", { body: { project_id: slug } }));
      await refetch();
      await navigate({ to: "/p/$project", params: { project: slug } });
    } catch (thrown) {
      setProblem(words(thrown));
    }
  };
  return (
    <main className="m-auto flex h-full max-w-md flex-col justify-center gap-3 p-8">
      <h1>Welcome, {session.member.name}</h1>
      {session.member.manages_members ? (
        <form
          className="flex flex-col gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            void make();
          }}
        >
          <label htmlFor="slug">
            A project holds the runs of one agent and what was learned from them. Its name:
          </label>
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
            Make the project
          </button>
        </form>
      ) : (
        <p>You do not see any project yet. Ask an admin of this installation to let you into one.</p>
      )}
    </main>
  );
}

// For how long things are kept, and how what is known of somebody is erased.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { projectQuery } from "../../api/settings";
import { MayNot, useMay } from "../../shell/may";
import { PageHead } from "../../shell/Page";
import { EraseForm } from "./EraseForm";
import { Problem, Room } from "./parts";
import { RetentionForm } from "./RetentionForm";

export function DataPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(projectQuery(project));
  const may = useMay("project:admin");
  return (
    <>
      <PageHead title="Data and retention" about="what is kept, and for how long" />
      <Room>
        {may ? null : <MayNot scope="project:admin" what="change retention or erase anything" />}
        <Problem error={error} />
        {data === undefined ? null : <RetentionForm project={project} data={data} may={may} />}
        {may ? <EraseForm project={project} /> : null}
      </Room>
    </>
  );
}

// Retention periods, and erasure of a subject's data.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { projectQuery } from "../../api/settings";
import { PermissionNotice, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { EraseForm } from "./EraseForm";
import { ErrorText, SectionBody } from "./form";
import { RetentionForm } from "./RetentionForm";

export function DataPage() {
  const { project } = useParams({ from: "/p/$project" });
  const { data, error } = useQuery(projectQuery(project));
  const canEdit = usePermission("project:admin");
  return (
    <>
      <PageHead title={t.settings.data.title} about={t.settings.data.about} />
      <SectionBody>
        {canEdit ? null : <PermissionNotice scope="project:admin" what={t.settings.data.change} />}
        <ErrorText error={error} />
        {data === undefined ? null : <RetentionForm project={project} data={data} canEdit={canEdit} />}
        {canEdit ? <EraseForm project={project} /> : null}
      </SectionBody>
    </>
  );
}

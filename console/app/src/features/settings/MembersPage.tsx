// Members of the installation, roles in the project, and the user's own sessions.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { membersQuery } from "../../api/settings";
import { PermissionNotice, useMember, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { t } from "../../texts";
import { AddMember } from "./AddMember";
import { MemberRow } from "./MemberRow";
import { Block, ErrorText, SectionBody } from "./form";
import { ProjectRoles, RolesTable } from "./ProjectRoles";
import { Sessions } from "./Sessions";

export function MembersPage() {
  const member = useMember();
  const { project } = useParams({ from: "/p/$project" });
  const canEdit = usePermission("project:admin");
  return (
    <>
      <PageHead title={t.settings.members.title} about={t.settings.members.about} />
      <SectionBody>
        {member.manages_members ? <Members /> : null}
        {canEdit ? (
          <ProjectRoles project={project} />
        ) : (
          <PermissionNotice scope="project:admin" what={t.settings.members.seeOrChangeRoles} />
        )}
        <RolesTable />
        <Sessions />
      </SectionBody>
    </>
  );
}

function Members() {
  const texts = t.settings.members;
  const { data, error } = useQuery(membersQuery);
  return (
    <>
      <AddMember />
      <Block title={data === undefined ? texts.list : texts.listed(data.length)} about={texts.listAbout}>
        <ErrorText error={error} />
        <ul>
          {data?.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </ul>
      </Block>
    </>
  );
}

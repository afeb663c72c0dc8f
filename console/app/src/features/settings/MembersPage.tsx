// Members of the installation, roles in the project, and the user's own sessions.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { membersQuery } from "../../api/settings";
import { PermissionNotice, useMember, usePermission } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
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
      <PageHead title="Members" about="people who review runs and edit memories" />
      <SectionBody>
        {member.manages_members ? <Members /> : null}
        {canEdit ? (
          <ProjectRoles project={project} />
        ) : (
          <PermissionNotice scope="project:admin" what="see or change the roles of members" />
        )}
        <RolesTable />
        <Sessions />
      </SectionBody>
    </>
  );
}

function Members() {
  const { data, error } = useQuery(membersQuery);
  return (
    <>
      <AddMember />
      <Block
        title={data === undefined ? "Members" : `Members (${data.length})`}
        about="Members cannot be deleted, because reviews name their reviewer. A disabled member cannot sign in; their sessions end and the keys that they created stop working at once."
      >
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

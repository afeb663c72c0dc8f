// Members of the installation, and the user's own sessions.
import { useQuery } from "@tanstack/react-query";
import { membersQuery } from "../../api/settings";
import { useMember } from "../../shell/permissions";
import { PageHead } from "../../shell/Page";
import { AddMember } from "./AddMember";
import { MemberRow } from "./MemberRow";
import { Block, ErrorText, SectionBody } from "./form";
import { Sessions } from "./Sessions";

export function MembersPage() {
  const member = useMember();
  return (
    <>
      <PageHead title="Members" about="people who review runs and edit memories" />
      <SectionBody>
        {member.manages_members ? (
          <Members />
        ) : (
          <p className="rounded bg-sunken px-3 py-2 text-sm">
            Only admins with access to all projects manage members, because a new member could see more than
            you do. You are {member.role} of {member.all_projects ? "all projects" : "some projects"}.
          </p>
        )}
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
        about="Members cannot be deleted, because reviews name their reviewer. A disabled member cannot sign in, and their sessions end at once."
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

// Who may come in, and which browsers are signed in.
import { useQuery } from "@tanstack/react-query";
import { membersQuery } from "../../api/settings";
import { useMember } from "../../shell/may";
import { PageHead } from "../../shell/Page";
import { AddMember } from "./AddMember";
import { MemberRow } from "./MemberRow";
import { Block, Problem, Room } from "./parts";
import { Sessions } from "./Sessions";

export function MembersPage() {
  const member = useMember();
  return (
    <>
      <PageHead title="Members" about="people who review runs and look after memories" />
      <Room>
        {member.manages_members ? (
          <Members />
        ) : (
          <p className="rounded bg-sunken px-3 py-2 text-sm">
            Members are managed by admins of all projects, because whoever is let in could see more than you
            do. You are {member.role} of {member.all_projects ? "all projects" : "some projects"}.
          </p>
        )}
        <Sessions />
      </Room>
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
        about="Reviews name their reviewer, so nobody is deleted. Who is shut out cannot come in, and their browsers are signed out at once."
      >
        <Problem error={error} />
        <ul>
          {data?.map((member) => (
            <MemberRow key={member.id} member={member} />
          ))}
        </ul>
      </Block>
    </>
  );
}

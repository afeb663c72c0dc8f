export const invite = {
  title: "Invite a member",
  about: "You get a sign-in link to send to them. It works once, within 24 hours. Treat it like a password.",
  link: (name: string) => `Sign-in link for ${name}`,
  sendLink: (name: string) =>
    `Send it to ${name}. The first person who opens it is signed in with this name.`,
  name: "Name",
  nameHint: "Shown with their reviews. It cannot be changed later.",
  role: "Role",
  projects: "Projects",
  all: "All projects",
  allHint: "also those created later",
  some: "Some projects",
  which: "Which projects",
  create: "Create invitation",
};

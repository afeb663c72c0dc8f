export const data = {
  title: "Data and retention",
  about: "How long data is kept, and how to erase it",
  change: "change retention or erase data",
};

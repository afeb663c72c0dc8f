export const retention = {
  title: "Retention",
  about:
    "Older data is removed permanently, once per hour. An empty field uses the default of the server, which is also the maximum.",
  default: "default",
  fields: {
    traces_days: {
      name: "Runs",
      label: "Runs, in days",
      hint: "With all their texts. Reviewed runs keep their numbers. Lessons stay.",
    },
    bodies_days: {
      name: "Messages of runs",
      label: "Messages of runs, in days",
      hint: "Task, answer and result stay.",
    },
    retrievals_days: {
      name: "Records of retrievals",
      label: "Records of retrievals, in days",
      hint: "Which lessons were considered for which task.",
    },
  },
};

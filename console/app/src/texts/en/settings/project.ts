export const project = {
  title: "Project",
  changeSettings: "change these settings",
  ranking: {
    title: "Ranking",
    about: "Which lessons come first if several fit a task.",
    legend: "Rank lessons",
    rankings: {
      learned: {
        label: "Learned",
        hint: "by whether the runs that used a lesson did better than expected",
      },
      classic: { label: "Classic", hint: "by whether the runs that used a lesson passed" },
    },
  },
  holdout: {
    title: "Holdout",
    about:
      "Measures whether lessons help: a random share of the runs receives none, and the Learning page compares both groups. If 75 % pass with lessons and 60 % without, about 50 reviewed runs without lessons are enough to show it.",
    name: "Runs without lessons",
    label: "Runs without lessons, in percent",
    hint: "0 turns it off. 10 is a good start, 50 is the maximum.",
  },
  tokens: {
    title: "Token limit",
    about:
      "How many model tokens this project may use per day (UTC), input and output. Work above the limit waits until the next day. Nothing is lost.",
    name: "Tokens",
    label: "Tokens per day",
    hint: "Leave it empty to use the limit of the server, if there is one.",
  },
  redaction: {
    title: "Redaction",
    about:
      "Removes sensitive data before a text is stored, logged or sent to a model. It finds only data in a known format, so some may remain. Texts stored earlier do not change.",
    secrets: "Remove credentials",
    secretsHint: "Keys, tokens, passwords. Turn this off only if your runs contain no real ones.",
    pii: "Personal data: e-mail addresses, phone numbers, payment cards, IBANs, national ID numbers",
    actions: {
      off: { label: "Keep it", hint: "stores it as it was sent" },
      mask: { label: "Mask it", hint: "replaces it with a placeholder such as [pii:email#91c0]" },
      block: { label: "Refuse it", hint: "rejects the run with an error that names the field" },
    },
    ipAddresses: "Treat IP addresses as personal data",
  },
};

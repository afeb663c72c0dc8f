export const recordKey = {
  label: "Another key",
  title: (action: string) => `Another key for “${action}”`,
  press: "Press the key or the key combination in this field",
  reserved: "Tab, Enter, Space and Esc cannot be changed.",
  available: "This key is available.",
  use: "Use this key",
};

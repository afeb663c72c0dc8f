export const form = {
  cancel: "Cancel",
  save: "Save",
  unsaved: "Unsaved changes.",
};

// The tests that hold the promises of docs/promises.md under “Your templates”.
import type { Promises } from "./promises.ts";

export const TEMPLATES: Promises = {
  "Unsaved changes to a template survive closed tabs, reloads, and crashes.": {
    "test/person/template/template-editor.test.ts": [
      "a window that is reloaded twice has its unsaved text again, but no password, and no secret lies in its files",
      "a tab closed with changes gives them back, up to the last key",
    ],
    "test/journeys/template/template-edits.test.ts": [
      "of two windows on one template: neither loses what it was told",
      "closes its forms without a question, and keeps what was typed for when it is back",
    ],
    "test/person/template/template-versions.test.ts": ["a window that died has its draft again"],
    "test/journeys/template/template-saves.test.ts": [
      "accounts do not see one another's; the latest comes first; removing removes",
    ],
  },
  "Saving, pushing, or deleting a template never overwrites what someone else changed since you opened it.": {
    "test/journeys/template/template-saves.test.ts": [
      "changed elsewhere: nothing is sent, and what others made of it is handed over",
      "changed between the look and the save: the hash in the request is the lock",
    ],
    "test/journeys/template/template-edit.test.ts": [
      "is a conflict in a form with changes: nothing is sent, what was typed stays, and it says what both changed",
    ],
    "test/journeys/template/template-tabs.test.ts": [
      "is overwritten by nobody: three versions are shown, and the merged one is saved next",
    ],
    "test/journeys/template/template-files.test.ts": [
      "changed on the service: nothing is pushed; pull takes it, re-pin lets the file go over it",
    ],
    "test/journeys/template/template-lists.test.ts": ["what was changed since it was shown is not deleted"],
  },
};

// The tests that hold the promises of docs/promises.md under “Your key and other secrets”.
import type { Promises } from "./promises.ts";

export const SECRETS: Promises = {
  "Your key is stored only after the service accepts it, and is sent only to the address that you entered it for, over verified HTTPS unless that address is your own computer.":
    {
      "test/journeys/core/session.test.ts": [
        "a key that is refused is not kept, and nothing changes",
        "the key of one origin is never sent to another",
      ],
      "test/journeys/client/hostile-limits.test.ts": [
        "a redirect to another origin is not followed; the other origin sees nothing",
      ],
      "test/unit/domain/base/address.test.ts": ["address ${JSON.stringify(typed)} is refused: ${says.source}"],
      "test/journeys/client/network.test.ts": [
        "that nobody vouches for is refused by name, and nothing is sent",
        "no variable of the environment turns the check of certificates off",
        "is used for the call, sees neither key nor path, and vouches for nothing",
      ],
      "test/journeys/connection/logs.test.ts": [
        "gets no key, and its redirect is not followed",
        "is opened by HTTPS or on this computer only, and for the sandbox on this computer only",
        "is in no log of ours: whoever has it can read the machine's",
        "ends at once when the person ${how}",
        "in an account that was left before is not asked for",
      ],
      "test/journeys/connection/reachable.test.ts": ["is read only from an address that was judged"],
    },
  "Keys, tokens, passphrases, secrets of runs, and values of secret variables are kept in VS Code's secret storage alone, and never in logs, error messages, or lists of processes.":
    {
      "test/journeys/canary.test.ts": ["no secret leaves the process but to the service"],
      "test/journeys/run/run-secrets.test.ts": ["are nowhere else on the machine or here while it runs and afterward"],
      "test/person/canary.test.ts": [
        "no file the editor left holds a secret",
        "nor does the screen with the machine's ports, a tooltip, nor what the browser keeps",
      ],
      "test/journeys/launch/protocol.test.ts": ["is the person's own: folder 0700, files 0600, nothing secret inside"],
      "test/journeys/connection/connection-canary.test.ts": [
        "is in no argument and no environment of a program, here or on the machine",
        "is in no file and no setting",
        "is in no log line, no error and nothing that is shown",
      ],
    },
  "Unsaved changes and template files contain no secret value and no registry token, unless you type it into the file or its flags can't be read, which you are told.":
    {
      "test/person/template/template-editor.test.ts": [
        "a window that is reloaded twice has its unsaved text again, but no password, and no secret lies in its files",
      ],
      "test/journeys/template/template-edits.test.ts": [
        "lie in no file, come back from the secret storage, or are asked for again before anything is sent",
        "that were lost are asked for until they are typed, however often the window is reloaded",
      ],
      "test/journeys/template/template-saves.test.ts": [
        "values of secret variables are not on disk: they come back from the secret storage, or are asked for again",
        "a draft comes back whole but for the password, which is not on disk either",
      ],
      "test/journeys/template/template-files.test.ts": [
        "values of secrets stay on the service and are in no file, unless somebody typed them there",
      ],
      "test/unit/domain/template/environment/env-secrets.test.ts": [
        "a pull brings no value of a secret that the file doesn't have already",
      ],
      "test/journeys/template/template-file-actions.test.ts": [
        "with flags that can't be read: Pull takes them as they are, says so, and brings no other secret",
      ],
    },
  "Copying a workergroup's key asks first, and the key leaves the clipboard after a minute.": {
    "test/person/host/account-lists.ts": [
      "Copy API Key asks first, and Cancel copies nothing",
      "then it is on the clipboard for a minute, and in no other place",
    ],
  },
  "Cloud GPU gives other extensions no key and no way to spend money, but they all run in one program, so install only extensions that you trust.":
    {
      "test/person/account/accounts-menu.ts": ["another extension gets no session, whatever it asks for"],
      "test/host/exported-api.host.ts": [
        "has what its page says, and can't be changed by one extension for another",
        "shows the instances of the account in use, and nothing once it is left",
        "opens one thing at a time, however often it is asked",
      ],
      "test/host/commands.host.ts": ["write nothing without a confirmation, whatever they are given"],
    },
};

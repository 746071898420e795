// The tests that hold the promises of docs/promises.md under “Connecting”.
import type { Promises } from "./promises.ts";

export const CONNECTING: Promises = {
  "A machine that shows another host key than before is refused until you forget the old key yourself.": {
    "test/journeys/connection/connections.test.ts": [
      "keeps its host key in a file of ours, and one that changes is refused",
    ],
    "test/journeys/connection/ended-machines.test.ts": [
      "that shows another key is noticed; only forgetting the old one lets it in",
      "goes with the next complete list, and no other one",
      "is still there if the list has gaps, fails, or was asked for before",
      "is still there if only the list lacks it",
      "is not one of another account of the same service, nor of another service",
    ],
    "test/person/connection/remote-window.test.ts": ["a key that changed is a question whose default is no"],
  },
  "Your private keys are never read or sent, and a virtual machine isn't rented while your account has no SSH key, because it can't take one later.":
    {
      "test/journeys/connection/connections.test.ts": [
        "keys of this computer are public ones, whatever lies beside them",
      ],
      "test/journeys/connection/connection-canary.test.ts": [
        "is not read from the file of a private key, which `ssh` alone opens",
        "is in no address that is asked for, and nothing else that is sent to the service",
      ],
      "test/journeys/launch/review-launch.test.ts": [
        "a virtual machine is stopped at the summary as long as the account has no key",
      ],
      "test/journeys/launch/replacement.test.ts": [
        "is not replaced by a virtual machine as long as the account has no SSH key, and stays until then",
      ],
    },
  "You connect only to a checked address of a machine that is still yours, and it is called ready only after its SSH server has responded.":
    {
      "test/unit/domain/connection/ssh-address.test.ts": [
        "what is no address is passed over",
        "what names no host at all",
      ],
      "test/unit/domain/connection/ssh-command.test.ts": ["what protects the person is explicit"],
      "test/hostile/connections.ts": [
        "a command for a machine at no address is refused",
        "a port, Jupyter and files wait for it, and nothing else",
      ],
      "test/journeys/connection/connections.test.ts": [
        "a machine that ended while the person chose a key, and one with another address",
        "an account that was switched meanwhile",
      ],
      "test/journeys/connection/readiness.test.ts": [
        "a server that stays silent is waited for as long as promised, and not claimed",
        "a machine that is destroyed meanwhile is said to be gone",
        "a service somewhere else has no machine on this computer",
      ],
      "test/unit/domain/connection/ssh-config.test.ts": ["leaves out ${what}"],
      "test/journeys/connection/ssh-config-files.test.ts": [
        "takes nothing from a record that somebody spoiled",
        "of a machine that ended meanwhile reaches nothing, and protects as before",
      ],
    },
  "Your own SSH configuration gets one line, after a question, and is byte for byte what it was when that line is removed.":
    {
      "test/person/connection/remote-window.test.ts": ["a window asks once before it adds a line"],
      "test/unit/domain/connection/ssh-include.test.ts": [
        "10,000 configurations of any kind are byte for byte what they were",
      ],
      "test/journeys/connection/ssh-config-files.test.ts": [
        "says the same of the person's own hosts, and what we wrote of our machines",
        "that somebody else saves at the same moment keeps what they saved",
      ],
    },
  "A forwarded port leads to your computer alone and ends with its window, its account, and its machine, and a port that everyone can reach is never opened without a question.":
    {
      "test/unit/domain/connection/ssh-command.test.ts": [
        "listens on loopback and leads to loopback",
        "is the only one: no other configuration is read, and nothing clears it",
      ],
      "test/journeys/port/ports.test.ts": [
        "ends with the account, without a word",
        "ends with a machine that is listed as stopped",
        "ends with the program that started it, even if that is killed",
      ],
      "test/person/port/ports.test.ts": [
        "a public address is opened after a question",
        "Jupyter isn't opened as a page of the editor, which would be the machine's to read",
        "it opens by a name of its own, with its token, and gets the cookies of nobody else",
        "a notebook finds the machine among its servers",
      ],
      "test/unit/domain/port/browser-address.test.ts": ["never gets to the editor's pages"],
      "test/journeys/connection/shared-connections.test.ts": [
        "it ends with the account, and another account never gets it",
        "it ends with its machine",
        "it ends with the program that opened it, even if that is killed",
        "nobody else may enter the folder of its socket, and it goes with the window",
      ],
    },
};

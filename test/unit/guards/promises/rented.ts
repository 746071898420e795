// The tests that hold the promises of docs/promises.md under “What you rent”.
import type { Promises } from "./promises.ts";

export const RENTED: Promises = {
  "Where the service can list instances, everything rented from here is found and shown, even after a lost response, a reload, or a crash; where it can't, a launch asks for your consent first.":
    {
      "test/journeys/documented-only.test.ts": [
        "a launch needs the person's consent; with it, it is rented, shown and waited for",
      ],
      "test/person/documented-only.test.ts": ["launching asks for the consent it needs"],
      "test/model/model.test.ts": [
        "launches with faults, double clicks, second windows and kills: no promise is broken",
      ],
      "test/journeys/launch/launch.test.ts": [
        "an answer lost (${fault}) is found again by its label; nothing is sent twice",
      ],
      "test/journeys/launch/protocol.test.ts": [
        "a window that was closed in the middle: the next one finds the rental and tells it",
        "a request the network repeats is an alarm that names both, once",
      ],
      "test/journeys/client/hostile-server.test.ts": ["success: false with new_contract is a rental"],
    },
  "You're told that nothing was rented only when that is proven, and you're told again if it turns out to be a rental.":
    {
      "test/model/model.test.ts": [
        "launches with faults, double clicks, second windows and kills: no promise is broken",
      ],
      "test/journeys/launch/launch-watch.test.ts": [
        "is not what was there before and got its label later; then nothing says that it isn't there, either",
        "is what bears its label, whatever this computer's clock says",
      ],
      "test/journeys/client/hostile-server.test.ts": [
        "nobody listening is proven not sent",
        "a reset before the answer leaves it unknown",
      ],
      "test/journeys/launch/limits.test.ts": [
        "a refusal that was a rental after all is taken back aloud, also in a window opened later",
      ],
      "test/journeys/launch/protocol.test.ts": [
        "nothing found for long enough is said so; when it comes late, that is an alarm",
      ],
    },
  "A list that failed or is incomplete hides nothing that you rent: the last known rows stay, with their age.": {
    "test/journeys/launch/launch.test.ts": [
      "an incomplete listing takes no row away and never says that nothing is rented",
      "while the service is away the rows stay, with their age; when it is back they live again",
    ],
    "test/unit/present/account/paying-rows.test.ts": ["isn't said of ${name}"],
    "test/journeys/account/readings.test.ts": [
      "signed in, the list is read once although nobody looks, and again only while something is rented",
    ],
    "test/person/instance/kept-in-sight.ts": ["the status bar says what is rented with the Explorer in front"],
  },
};

// The tests that hold the promises of docs/promises.md under “What others write”.
import type { Promises } from "./promises.ts";

export const STRANGERS: Promises = {
  "Text from a service, a host, a machine, or a template stays text: it never becomes a link, an image, or a command, and a hostile template file is refused.":
    {
      "test/unit/lib/markup.test.ts": ["no text is read as markup"],
      "test/unit/present/instance/instances.test.ts": ["a hostile label neither draws icons nor moves the price"],
      "test/host/rows.host.ts": ["draw what a server says as text: no link, no image, no markup, no trust"],
      "test/journeys/template/template-files.test.ts": ["a hostile file is refused before anything is asked or sent"],
      "test/unit/domain/template/template-file.test.ts": [
        "no text throws, none reaches a prototype, and what is accepted is a template",
      ],
      "test/unit/domain/connection/log-text.test.ts": [
        "whatever the log holds, nothing but text, styles, tabs, line breaks and steps back is left",
        "removes ${what}",
      ],
      "test/unit/ui/kit/terminal-lines.test.ts": ["no machine speaks as we do, however it is read"],
      "test/journeys/connection/logs.test.ts": ["obeys no terminal, and need not be UTF-8"],
      "test/hostile/connections.ts": ["a log in a terminal obeys nobody"],
    },
  "No response, however large, slow, or broken, blocks VS Code or fills its memory, and nothing is requested while no one looks and nothing is rented or under way.":
    {
      "test/unit/guards/foreign-text.test.ts": ["${name} takes long texts of any kind"],
      "test/hostile/walk.test.ts": [
        "the extension host was never kept",
        "the extension host spoke with the two services alone",
      ],
      "test/journeys/client/hostile-limits.test.ts": [
        "a call may take 30 s at the most, one that spends or destroys 60 s, a rental 150 s",
        "${way}: a read and a create end in their time, and the connection with them",
        "50 MB are cut off at 8, and memory stays below 100 MB more",
      ],
      "test/contract/client/fuzz.test.ts": [
        "20,000 random or mutated answers: no crash, no stray rejection, each failure a typed error naming its operation",
        "valid rows in a partly broken list are kept, in their order",
      ],
      "test/journeys/launch/launch.test.ts": [
        "nothing is asked while nobody looks and nothing moves; looking asks at once",
      ],
    },
};

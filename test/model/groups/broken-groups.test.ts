// Four broken keepers of groups don't keep their promises (test/model/README.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { BROKEN_GROUPS } from "./broken-groups.ts";
import { playGroup } from "./group-story.ts";

const SEEDS = {
  "forgets the launches that took another one's place": [8, 22, 24, 28],
  "calls a group complete that has too few": [1, 6, 11, 13],
  "destroys where it was to ask": [23, 32, 28, 6],
  "takes a stop for a death": [48, 22, 111],
};

catchBroken("a keeper of groups is caught that", { broken: BROKEN_GROUPS, seeds: SEEDS, story: playGroup });

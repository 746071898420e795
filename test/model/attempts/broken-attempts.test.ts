// Broken variants of a run with several attempts don't keep its promises (test/model/README.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { playAttempts } from "./attempt-story.ts";
import { BROKEN_ATTEMPTS } from "./broken-attempts.ts";

const SEEDS = { "takes one answer for proof that an instance is gone": [54] };

catchBroken("attempts are caught that", { broken: BROKEN_ATTEMPTS, seeds: SEEDS, story: playAttempts });

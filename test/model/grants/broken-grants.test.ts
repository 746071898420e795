// Broken variants of the budget of agents don't keep its promises (test/model/README.md), and each is caught.
import { catchBroken } from "../catch-broken.ts";
import { BROKEN_GRANTS } from "./broken-grants.ts";
import { playGrant } from "./grant-story.ts";

catchBroken("budgets are caught that", { broken: BROKEN_GRANTS, seeds: {}, story: playGrant });

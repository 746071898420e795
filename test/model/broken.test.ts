// Fourteen broken variants of the launch protocol don't keep their promises (test/model/README.md), and each is caught.
import { BROKEN } from "./broken.ts";
import { catchBroken } from "./catch-broken.ts";

const SEEDS = {
  "sends three times": [1, 2, 3, 4],
  "sends again when the list is empty": [64, 67, 69, 71],
  "writes the journal after the answer": [1, 2, 3, 4],
  "claims without exclusive create": [2, 8, 10, 11],
  "trusts the success flag": [28, 61, 76, 117],
  "trusts a 4xx": [5, 30, 34, 38],
  "trusts an id unverified": [99, 126],
  'stops watching after "not found"': [38, 95, 116, 142],
  "never takes a refusal back": [5, 40, 95, 119],
  "replaces a machine beyond what was allowed": [167, 178, 180, 181],
  "rents while the dead machine is still there": [25, 56, 60, 81],
  "never looks a second time": [4, 7, 13, 23],
  "leaves out what was configured": [1, 2, 3, 4],
  "replaces what its owner stopped": [56, 81, 86],
};

catchBroken("a protocol is caught that", { broken: BROKEN, seeds: SEEDS });

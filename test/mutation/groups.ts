// What is mutated, and the tests that judge it: those of the module and the journeys that go through it. The quickest
// stand first, because the first failure settles a mutant.
export interface Group {
  readonly mutate: readonly string[];
  readonly tests: readonly string[];
}

const unit = (...names: readonly string[]) => names.map((name) => `test/unit/${name}.test.ts`);
const journeys = (...names: readonly string[]) => names.map((name) => `test/journeys/${name}.test.ts`);
const contract = (...names: readonly string[]) => names.map((name) => `test/contract/${name}.test.ts`);
const services = (...names: readonly string[]) => names.map((name) => `src/services/launch/${name}.ts`);

export const groups: Readonly<Record<string, Group>> = {
  rules: {
    mutate: ["src/domain/launch/**/*.ts"],
    tests: unit(
      "domain/launch/changed-terms",
      "domain/launch/create-request",
      "domain/launch/launch-draft",
      "domain/launch/launch-plan",
      "domain/launch/launch-record",
      "domain/launch/limits",
      "domain/launch/past-rental",
    ),
  },
  client: {
    mutate: ["src/api/call.ts", "src/api/reply.ts"],
    tests: [
      ...unit("api/reply"),
      ...journeys("client/call", "client/missing-endpoints", "client/retired"),
      ...contract("client/client-errors", "client/client-proof", "client/client-requests"),
      ...journeys("client/hostile-limits"),
    ],
  },
  // What windows tell each other, and believe.
  windows: {
    mutate: ["src/services/core/book/*.ts", "src/services/core/duty.ts", "src/services/instance/whereabouts.ts"],
    tests: unit(
      "services/core/book/book",
      "services/core/book/disk",
      "services/core/book/due-reading",
      "services/core/book/latest",
      "services/core/book/move-folder",
      "services/core/book/publish",
      "services/core/book/replace-file",
      "services/core/book/state-folder",
      "services/core/book/tell-once",
      "services/core/book/tidy-limit",
      "services/core/book/turn-file",
      "services/core/book/watch-folder",
      "services/core/duty",
      "services/instance/whereabouts",
      "services/open-shared-folder",
    ),
  },
  records: {
    mutate: services(
      "intent",
      "launch-journal",
      "machine-memory",
      "outcome/launch-notices",
      "past-rentals",
      "rebuild-plan",
      "rent-again",
    ),
    tests: [
      ...unit(
        "services/launch/intent",
        "services/launch/launch-journal",
        "services/launch/outcome/launch-notices",
        "services/launch/rebuild-plan",
      ),
      ...journeys("launch/launch-windows", "launch/machine-memory", "launch/same-again"),
    ],
  },
  limits: {
    mutate: services("commitments", "offer-limits", "recheck-plan"),
    tests: [
      ...unit("services/launch/recheck-plan"),
      ...journeys("launch/commitments", "launch/limits", "offer/saved-searches"),
    ],
  },
  launch: {
    mutate: services(
      "launch",
      "launch-services",
      "outcome/launch-outcome",
      "outcome/launch-verdicts",
      "self-stop-plan",
    ),
    tests: journeys(
      "launch/launch-ends",
      "instance/auto-stops/self-stops",
      "launch/limits",
      "documented-only",
      "launch/launch",
      "launch/protocol",
      "launch/launch-windows",
    ),
  },
  watch: {
    mutate: services("outcome/launch-watch", "outcome/look-times", "outcome/orphans"),
    tests: journeys(
      "launch/launch-watch",
      "launch/limits",
      "launch/protocol",
      "launch/launch-windows",
      "documented-only",
    ),
  },
  review: {
    mutate: services("notice-keys", "review-launch"),
    tests: journeys("launch/review-launch", "account/account-guard"),
  },
  run: {
    mutate: services(
      "run-launch",
      "launch-steps",
      "dead-machines",
      "wait-until-ready",
      "wait-until-running",
      "end-instead",
      "replacement",
    ),
    tests: [
      ...unit("services/launch/replacement"),
      ...journeys(
        "launch/wait-until-running",
        "connection/readiness",
        "launch/replacement",
        "launch/run-launch",
        "launch/launch",
        "group/group-mishaps",
      ),
    ],
  },
};

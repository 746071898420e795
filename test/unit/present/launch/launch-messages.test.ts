// What is asked about a machine that died, and which way out is named first.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { LaunchQuestion } from "../../../../src/domain/launch/launch-messages.ts";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import {
  buildLaunchQuestion,
  describeLaunchMessage,
  formatLaunchAction,
} from "../../../../src/present/launch/launch-messages.ts";
import { PLAN } from "../../support.ts";

const dead = InstanceId.parse(41);
const NO_USE = "Another machine won't help, as its image or the login is at fault.";

describe("a machine that died", () => {
  test("because of its image: that is said in the message and again before it is replaced", () => {
    const message = { kind: "dead", id: dead, status: "created", why: "pull access denied", isImage: true } as const;
    assert.equal(
      describeLaunchMessage(message).text,
      `Instance 41 failed: pull access denied. ${NO_USE} You may still be billed for it.`,
    );
    assert.equal(formatLaunchAction("reconfigure", message), "Reconfigure…");
    const [first] = detailOf({ isImageAtFault: true });
    assert.equal(first, `⚠ ${NO_USE}`);
    assert.doesNotMatch(detailOf({}).join(), /⚠/);
  });

  test("and was rented with a login that isn't known any longer: the question says so, unless it was entered again", () => {
    const [first] = detailOf({ plan: { ...PLAN, lostLogin: true } });
    assert.match(first ?? "", /^⚠ The registry login of instance 41 wasn't saved\. .*Launch Similar Instance…/);
    const configuration = { image_login: "-u me -p token ghcr.io" };
    assert.doesNotMatch(detailOf({ plan: { ...PLAN, lostLogin: true, configuration } }).join(), /⚠/);
  });

  test("and has an auto-stop: the question says when the new machine ends, or that it has none any longer", () => {
    const end = { until: NOW + 2 * 3_600_000, ending: "destroy" } as const;
    const said = detailOf({ plan: { ...PLAN, end } }).join("\n");
    assert.match(said, /^(?:Destroys|Cloud GPU destroys|.*destroy).* at .*Until then, it costs about \$/m);
    assert.doesNotMatch(said, /⚠/);
    assert.match(
      detailOf({ isPastEnd: true }).join("\n"),
      /^⚠ The time of the auto-stop has passed, so the new machine has none/m,
    );
    assert.doesNotMatch(detailOf({}).join("\n"), /auto-stop/);
  });

  test("is destroyed before its launch is reconfigured, which rents nothing", () => {
    const { message, detail, go } = buildLaunchQuestion({ kind: "reconfigure", dead });
    assert.equal(message, "Destroy instance 41 and reconfigure its launch?");
    assert.match(
      detail ?? "",
      /everything on its disk will be deleted\.\nIts configuration then opens .* Nothing is rented until you confirm the summary\./,
    );
    assert.equal(go, "Destroy and Reconfigure");
  });
});

const NOW = Date.UTC(2026, 10, 25, 12);

function detailOf(fields: {
  readonly plan?: LaunchPlan;
  readonly isImageAtFault?: boolean;
  readonly isPastEnd?: boolean;
}): readonly string[] {
  const question: LaunchQuestion = {
    ...{
      kind: "replace",
      dead,
      before: PLAN,
      plan: PLAN,
      isNewTemplate: false,
      isImageAtFault: false,
      isPastEnd: false,
      now: NOW,
    },
    ...{ sandbox: false, withoutTracking: false },
    ...fields,
  };
  return (buildLaunchQuestion(question).detail ?? "").split("\n");
}

// The questions before an instance is destroyed, started, stopped or restarted: which one, what it costs, what is lost.

import { knownPrice, perHour } from "../../domain/base/money.ts";
import { ownLabel, priceNow } from "../../domain/instance/instance.ts";
import { machineName } from "../../domain/offer/offer.ts";
import { plain, t } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { type InstanceFacts, instanceName, phaseText, totalBurn } from "./instances.ts";

type Facts = Pick<InstanceFacts, "value" | "launchPrice">;

/** Whoever asks names the buttons. */
type Asked = Pick<Question, "message" | "detail">;

function named({ value }: Facts): string {
  return t("instance {0} “{1}”", value.id, plain(instanceName(value), 60));
}

/** ID, label, machine, state and price: enough to tell similar instances apart. */
function line(facts: Facts): string {
  const { value } = facts;
  const own = plain(ownLabel(value.label), 60);
  const [machine, state, price] = [plain(machineName(value)), phaseText(value), perHour(priceNow(facts))];
  return own === ""
    ? t("Instance {0}: {1}, {2}, {3}.", value.id, machine, state, price)
    : t("Instance {0} “{1}”: {2}, {3}, {4}.", value.id, own, machine, state, price);
}

function lost({ value }: Facts): string {
  const disk = value.disk_space === undefined ? t("Its disk") : t("Its disk ({0} GB)", Math.round(value.disk_space));
  return t("{0} and everything on it are deleted and cannot be brought back.", disk);
}

export function destroyQuestion(rows: readonly Facts[]): Asked {
  const [first] = rows;
  return {
    message:
      rows.length === 1 && first
        ? t("Destroy {0}?", named(first))
        : t("Destroy {0} instances ({1} together)?", rows.length, totalBurn(rows)),
    detail: rows.map((row) => `${line(row)}\n${lost(row)}`).join("\n\n"),
  };
}

/** What it will cost once it runs. The service states that price for a stopped instance, too. */
export function startQuestion(rows: readonly Facts[]): Asked {
  const [first] = rows;
  const price = (row: Facts) => perHour(knownPrice(row.value.dph_total) ?? row.launchPrice);
  return {
    message:
      rows.length === 1 && first
        ? t("Start {0} for {1}?", named(first), price(first))
        : t("Start {0} instances?", rows.length),
    detail: [
      ...rows.map((row) => t("Instance {0}: {1} while it runs.", row.value.id, price(row))),
      t("Where its GPU is rented by somebody else, it starts later by itself, and is billed from then on."),
    ].join("\n"),
  };
}

export function stateQuestion(what: "stop" | "reboot", rows: readonly Facts[]): Asked {
  const [first] = rows;
  const many = rows.length !== 1 || !first;
  if (what === "reboot") {
    return {
      message: many ? t("Reboot {0} instances?", rows.length) : t("Reboot {0}?", named(first)),
      detail: t("What runs on it ends and starts anew. Its disk stays, and it is billed on."),
    };
  }
  return {
    message: many ? t("Stop {0} instances?", rows.length) : t("Stop {0}?", named(first)),
    detail: [
      ...rows.map(whileStopped),
      t("What runs on it ends. Its GPU may be rented by somebody else meanwhile."),
    ].join("\n"),
  };
}

function whileStopped({ value }: Facts): string {
  return t("Instance {0}: its disk is billed on, {1}.", value.id, perHour(knownPrice(value.storage_total_cost)));
}

// The question before signing out of an account that is being billed.
import type { Instance } from "../../domain/instance/instance.ts";
import type { LaunchRecord } from "../../domain/launch/launch-record.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatTotalPrice } from "../instance/instances.ts";

interface Billing {
  readonly rows: readonly { readonly value: Instance; readonly launchPrice: number | undefined }[];
  readonly atRisk: readonly LaunchRecord[];
  /** False if the service couldn't be asked, or not for everything. */
  readonly isCurrent: boolean;
  /** False if the service has no list. */
  readonly isListed: boolean;
}

export function buildSignOutQuestion(
  { rows, atRisk, isCurrent, isListed }: Billing,
  account: string,
): { message: string; detail: string } {
  const name = toLabel(account, 60);
  const rented =
    rows.length === 1
      ? t("1 instance still costs {0}.", formatTotalPrice(rows))
      : t("{0} instances still cost {1}.", rows.length, formatTotalPrice(rows));
  const gap = isListed
    ? t("Cloud GPU couldn't check what is rented right now.")
    : t("This service can't list instances. You may have more than the ones launched here.");
  const detail = [
    ...(isCurrent ? [] : [gap]),
    ...(rows.length === 0 ? [] : [rented]),
    ...(atRisk.length === 0 ? [] : [t("Launches that may have rented a machine: {0}.", atRisk.length)]),
    t("Signing out doesn't destroy anything. Cloud GPU removes your API key from this editor."),
  ];
  return {
    message: rows.length > 0 ? t("Sign out of {0} while instances cost money?", name) : t("Sign out of {0}?", name),
    detail: detail.join("\n"),
  };
}

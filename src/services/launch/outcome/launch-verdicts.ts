// The person's own answer about a launch with an unknown outcome: what they saw on the service's website, verified if
// possible.
import { AppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { readLaunchToken } from "../../../domain/instance/instance.ts";
import { isLabelCopied, type LaunchRecord } from "../../../domain/launch/launch-record.ts";
import { t } from "../../../lib/text.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { InstancesService } from "../../instance/instances.ts";
import type { LaunchJournal } from "../launch-journal.ts";
import type { LaunchWatch } from "./launch-watch.ts";

interface Parts {
  readonly session: SessionService;
  readonly journal: LaunchJournal;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
}

export class LaunchVerdicts {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The person saw the rental and enters its ID.
   * @throws AppError if the service doesn't show it, or not under this launch's label, or if the account was left.
   */
  async settleAs(account: SignedIn, record: LaunchRecord, id: InstanceId): Promise<void> {
    const { session, journal, instances, watch } = this.#parts;
    session.assertStill(account);
    const row = await account.client.getInstance(id);
    if (!row) throw new AppError("not-found", t("This account has no instance {0}.", id));
    if (readLaunchToken(row.value.label) !== record.token)
      throw new AppError(
        "rejected",
        t("Instance {0} wasn't rented by this launch. Its label doesn't contain the launch ID {1}.", id, record.token),
      );
    if (isLabelCopied(row.value, record))
      throw new AppError(
        "rejected",
        t("Instance {0} wasn't rented by this launch. Its label was copied from another instance.", id),
      );
    session.assertStill(account);
    await journal.note(record.token, ["rented", id]);
    instances.expect(account, row.value, record.prepared?.price);
    await watch.reread();
  }

  /** The person says that nothing was created, or that they want to keep both machines of a doubled launch. */
  async dismiss(account: SignedIn, record: LaunchRecord): Promise<void> {
    const { session, journal, watch } = this.#parts;
    session.assertStill(account);
    await journal.note(record.token, "dismissed");
    await watch.reread();
  }
}

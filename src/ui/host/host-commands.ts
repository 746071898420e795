// Commands for hosts: take a volume off the market, read the last response.
import { AppError } from "../../domain/base/error.ts";
import { WireId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { VolumeOffer } from "../../domain/instance/volume.ts";
import { formatTime, t } from "../../lib/text.ts";
import { formatRecord } from "../../present/base/record.ts";
import { buildListingRow } from "../../present/host/host.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellInfo, withStatusProgress } from "../kit/messages.ts";
import { isRowOf, readNodeValue } from "../list/targets.ts";
import type { HostServices } from "./host-services.ts";

export async function showAnswer({ host, session, documents }: HostServices): Promise<void> {
  session.requireSignedIn();
  const answer = host.lastAnswer;
  if (!answer) throw new AppError("not-found", t("No host request has been sent yet."));
  const { at, text, sent: echo } = answer;
  const remarks = [text, t("Response received at {0}", formatTime(at))];
  await documents.show(
    `${t("Last Response")}.jsonc`,
    echo === undefined
      ? formatRecord(remarks, answer.about)
      : formatRecord(
          [...remarks, t("Your request as the service reported it. Secrets and variable values are masked.")],
          echo,
        ),
  );
}

export async function unlistVolume(services: HostServices, [given]: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const id = await volumeFor(services, given);
  if (id === undefined) return;
  const sure = await askText<true>({
    title: t("Unlist Volume"),
    prompt: t("Type {0} to confirm. The volume will be unlisted and can no longer be rented.", id),
    read: (text) => {
      if (text.trim() === String(id)) return true;
      throw new AppError(
        "rejected",
        t("That ID doesn't match. Type {0} to confirm, or press Escape to keep the volume listed.", id),
      );
    },
  });
  if (sure !== true) return;
  const { text } = await withStatusProgress(t("Unlisting volume {0}…", id), () => services.host.unlist(account, id));
  void tellInfo(text);
}

/** From a row, from the listings that the service names, or typed. */
async function volumeFor({ host }: HostServices, given: unknown): Promise<number | undefined> {
  const listing = isRowOf("listing", given) ? readNodeValue<Row<VolumeOffer>>(given)?.value?.id : given;
  const id = WireId.safeParse(listing);
  if (id.success) return id.data;
  await host.collection.getKnown();
  const title = t("Unlist Volume");
  if (host.listings.length > 0) {
    const chosen = await pickOne<number | "typed">({
      title,
      placeholder: t("Which volume do you want to unlist?"),
      choices: [
        ...host.listings.map(
          ({ value }): Choice<number> => ({
            label: String(value.id),
            description: buildListingRow(value, "", undefined).description,
            value: value.id,
          }),
        ),
        { label: `$(edit) ${t("Another ID…")}`, value: "typed", alwaysShow: true },
      ],
    });
    if (typeof chosen !== "string") return chosen === BACK ? undefined : chosen;
  }
  const typed = await askText<number>({
    title,
    prompt: t("ID of the volume's listing, as shown on the service's website"),
    placeholder: "26000000",
    read: readId,
  });
  return typed === BACK ? undefined : typed;
}

function readId(text: string): number {
  const id = WireId.safeParse(text.trim());
  if (id.success) return id.data;
  throw new AppError("rejected", t("“{0}” isn't a valid ID. Enter a whole number, such as 26000000.", text.trim()));
}

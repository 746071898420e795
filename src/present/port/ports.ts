// A port of a machine as a row below it: where it can be reached, and how private that is.
import type { InstanceId } from "../../domain/base/id.ts";
import { JUPYTER_PORT, type MachinePort } from "../../domain/connection/machine-port.ts";
import type { SshAddress } from "../../domain/connection/ssh-address.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { Question } from "../base/question.ts";
import { listKnownFacts, type RowView } from "../base/row.ts";

export interface PortFacts extends MachinePort {
  readonly id: InstanceId;
  /** Identifies the account. */
  readonly tag: string;
  /** The port of this computer that it is forwarded to, if any. */
  readonly local: number | undefined;
  /** Whether it can be reached through SSH at all. */
  readonly canForward: boolean;
  /** Whether the image is started with Jupyter. */
  readonly hasJupyter: boolean;
}

/** A host and a port as they stand in a web address. */
export function formatAddress({ host, port }: SshAddress): string {
  return host.includes(":") ? `[${toPlainText(host, 60)}]:${port}` : `${toPlainText(host, 60)}:${port}`;
}

function placeText({ local, publicAt }: PortFacts): string {
  const places = [
    local === undefined ? undefined : t("forwarded to localhost:{0}", local),
    publicAt === undefined ? undefined : t("{0}, open to everyone", formatAddress(publicAt)),
  ].filter((place) => place !== undefined);
  return places.length === 0 ? t("through SSH") : places.join(" · ");
}

const forwardedText = (local: number | undefined) => (local === undefined ? t("not forwarded") : `localhost:${local}`);

function iconOf({ local, publicAt }: PortFacts): readonly [icon: string, color: string | undefined] {
  if (local !== undefined) return ["plug", "charts.green"];
  return publicAt === undefined ? ["lock", undefined] : ["globe", undefined];
}

export function buildPortRow(facts: PortFacts): RowView {
  const { id, tag, port, publicAt, local, canForward, hasJupyter } = facts;
  const name = hasJupyter && port === JUPYTER_PORT ? t("{0} (Jupyter)", port) : String(port);
  const [icon, color] = iconOf(facts);
  const can = ["port", canForward && "canForward", publicAt && "isPublic", local !== undefined && "isForwarded"];
  return {
    id: `port ${tag} ${id} ${port}`,
    label: name,
    description: placeText(facts),
    icon,
    color,
    context: can.filter(Boolean).join(" "),
    accessible: t("Port {0} of instance {1}, {2}", port, id, placeText(facts)),
    tooltip: () => ({
      title: t("Port {0} of instance {1}", port, id),
      facts: listKnownFacts([
        [t("Through SSH"), canForward ? forwardedText(local) : t("no SSH server")],
        [t("Open to everyone"), publicAt === undefined ? t("no") : formatAddress(publicAt)],
      ]),
    }),
  };
}

/** Before a browser is sent to a public port. */
export function buildPublicPortQuestion(
  { id, port, canForward }: Pick<PortFacts, "id" | "port" | "canForward">,
  publicAt: SshAddress,
): Question {
  const address = formatAddress(publicAt);
  return {
    message: t("Open port {0} of instance {1} at its public address?", port, id),
    detail: canForward
      ? t(
          "Everyone can reach {0}, and what you send there may not be encrypted. To open the port privately, choose “Forward Port” instead.",
          address,
        )
      : t("Everyone can reach {0}, and what you send there may not be encrypted.", address),
    go: t("Open"),
  };
}

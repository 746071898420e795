// IDs as people type them.
import { AppError } from "../../../domain/base/error.ts";
import { InstanceId } from "../../../domain/base/id.ts";
import { t } from "../../../lib/text.ts";

/** @throws AppError `rejected` for anything but a whole number above zero. */
export function parseInstanceId(text: string): InstanceId {
  const id = InstanceId.safeParse(text.trim());
  if (id.success) return id.data;
  throw new AppError(
    "rejected",
    t("“{0}” isn't a valid instance ID. Enter a whole number, such as 31000001.", text.trim()),
    { fields: { id: "" } },
  );
}

// What the service says it charged.
import * as z from "zod";
import { InstanceId } from "../base/id.ts";
import { int, num, str } from "../base/wire.ts";

/** Extra: one contract in the time that was asked for. */
export const Charge = z
  .object({
    /** `instance-123` */
    source: z.string().max(200),
    /** Dollars. */
    amount: z.number(),
    metadata: z.object({ label: str, template_id: int }).optional().catch(undefined),
    start: num,
    end: num,
  })
  .transform(({ source, amount, metadata }) => ({
    source,
    amount,
    label: metadata?.label,
    instance: readInstance(source),
  }));
export type Charge = z.infer<typeof Charge>;

export interface Charges {
  readonly charges: readonly Charge[];
  /** False if there were more, or some that couldn't be read. */
  readonly isComplete: boolean;
}

function readInstance(source: string): InstanceId | undefined {
  const [, id] = /^instance-(\d{1,15})$/.exec(source) ?? [];
  return InstanceId.safeParse(Number(id)).data;
}

/** Dollars by instance; what isn't charged for an instance, such as volumes, is apart. */
export function sumCharges(charges: readonly Charge[]): {
  readonly instances: ReadonlyMap<InstanceId, number>;
  readonly other: number;
} {
  const instances = new Map<InstanceId, number>();
  let other = 0;
  for (const { instance, amount } of charges) {
    if (instance === undefined) other += amount;
    else instances.set(instance, (instances.get(instance) ?? 0) + amount);
  }
  return { instances, other };
}

// Puts the services of launches together.
import type { Limits, ReplacementPolicy } from "../../domain/launch/limits.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import type { AccountKeys } from "../connection/account-keys.ts";
import type { ReadinessService } from "../connection/readiness.ts";
import type { Disk } from "../core/book/disk.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { Notes } from "../core/notes.ts";
import type { Scheduler } from "../core/scheduler.ts";
import type { SessionService } from "../core/session.ts";
import type { assembleInstances } from "../instance/instance-services.ts";
import type { OffersService } from "../offer/offers.ts";
import type { DraftSecrets } from "../template/draft-store.ts";
import type { TemplateSaves } from "../template/template-saves.ts";
import type { TemplatesService } from "../template/templates.ts";
import { LaunchForms } from "./configure/launch-forms.ts";
import { LaunchVolumes } from "./configure/launch-volumes.ts";
import { LaunchService } from "./launch.ts";
import { LaunchJournal } from "./launch-journal.ts";
import { MachineMemory } from "./machine-memory.ts";
import { OfferLimits } from "./offer-limits.ts";
import { LaunchVerdicts } from "./outcome/launch-verdicts.ts";
import { LaunchWatch } from "./outcome/launch-watch.ts";
import { PastRentals } from "./past-rentals.ts";
import { ReplacementService } from "./replacement.ts";
import { LaunchReview } from "./review-launch.ts";
import { LaunchRunner } from "./run-launch.ts";

interface Parts extends ReturnType<typeof assembleInstances> {
  readonly session: SessionService;
  readonly offers: OffersService;
  readonly readiness: ReadinessService;
  readonly accountKeys: AccountKeys;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly scheduler: Scheduler;
  readonly folders: { readonly launches: string; readonly machines: string };
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly log: Log;
}

interface Ports {
  readonly notes: Notes;
  readonly draftSecrets: DraftSecrets;
  readonly limits: () => Limits;
  readonly replacementPolicy: () => ReplacementPolicy;
  readonly project?: () => string | undefined;
  readonly disk?: Disk;
}

export function assembleLaunches(bag: Bag, ports: Ports, parts: Parts) {
  const { limits, replacementPolicy, project, notes, draftSecrets, disk } = ports;
  const journal = new LaunchJournal(parts.folders.launches, disk);
  const watch = bag.add(new LaunchWatch({ ...parts, journal }));
  const forms = {
    launchForms: bag.add(new LaunchForms({ ...parts, notes, draftSecrets })),
    launchVolumes: new LaunchVolumes(parts),
  };
  const launches = new LaunchService({ ...parts, ...forms, journal, watch, limits, project });
  const offerLimits = new OfferLimits({ ...parts, watch, limits });
  const replacements = new ReplacementService({ ...parts, launches, offerLimits });
  const runner = new LaunchRunner({ ...parts, launches, replacements, replacementPolicy });
  return {
    ...forms,
    journal,
    watch,
    launches,
    offerLimits,
    replacements,
    review: new LaunchReview({ ...parts, launches }),
    runner,
    verdicts: new LaunchVerdicts({ ...parts, journal, watch }),
    pastRentals: bag.add(new PastRentals({ ...parts, notes })),
    machineMemory: bag.add(new MachineMemory({ ...parts, folder: parts.folders.machines, disk })),
  };
}

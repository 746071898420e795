// What launching needs in addition to the instance services.

import type { Notes } from "../../services/core/notes.ts";
import type { LaunchForms } from "../../services/launch/configure/launch-forms.ts";
import type { LaunchVolumes } from "../../services/launch/configure/launch-volumes.ts";
import type { LaunchService } from "../../services/launch/launch.ts";
import type { MachineMemory } from "../../services/launch/machine-memory.ts";
import type { OfferLimits } from "../../services/launch/offer-limits.ts";
import type { LaunchVerdicts } from "../../services/launch/outcome/launch-verdicts.ts";
import type { LaunchWatch } from "../../services/launch/outcome/launch-watch.ts";
import type { PastRentals } from "../../services/launch/past-rentals.ts";
import type { LaunchReview } from "../../services/launch/review-launch.ts";
import type { LaunchRunner } from "../../services/launch/run-launch.ts";
import type { OffersService } from "../../services/offer/offers.ts";
import type { PriceHistory } from "../../services/offer/price-history.ts";
import type { PriceWatches } from "../../services/offer/price-watches.ts";
import type { SavedSearches } from "../../services/offer/saved-searches.ts";
import type { TemplateSaves } from "../../services/template/template-saves.ts";
import type { TemplatesService } from "../../services/template/templates.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";
import type { LaunchPages } from "./launch-pages.ts";

export interface LaunchServices extends ConnectionServices {
  readonly offers: OffersService;
  readonly searches: SavedSearches;
  readonly priceHistory: PriceHistory;
  readonly priceWatches: PriceWatches;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly launches: LaunchService;
  readonly offerLimits: OfferLimits;
  readonly review: LaunchReview;
  readonly runner: LaunchRunner;
  readonly watch: LaunchWatch;
  readonly pastRentals: PastRentals;
  readonly machineMemory: MachineMemory;
  readonly verdicts: LaunchVerdicts;
  readonly launchForms: LaunchForms;
  readonly launchVolumes: LaunchVolumes;
  readonly launchPages: LaunchPages;
  /** Facts about this workspace. */
  readonly workspaceNotes: Notes;
}

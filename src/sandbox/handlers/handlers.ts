// One handler per route. A missing handler doesn't compile.
import type { RouteName } from "../base/routes.ts";
import type { Permission } from "../world/keys.ts";
import { accountHandlers } from "./account-handlers.ts";
import { commandLineHandlers } from "./command-line-handlers.ts";
import type { Handlers } from "./handler.ts";
import { hostHandlers } from "./host-handlers.ts";
import { instanceHandlers } from "./instance-handlers.ts";
import { templateHandlers } from "./template-handlers.ts";

export const handlers: Handlers = {
  ...instanceHandlers,
  ...templateHandlers,
  ...accountHandlers,
  ...hostHandlers,
  ...commandLineHandlers,
};

/** The permission a call requires in addition to a valid key (interface 5, rule 3; the rest as at public services). */
export const NEEDS: { readonly [Name in RouteName]?: Permission } = {
  createBackgroundJobs: "machine_write",
  createInstance: "instance_write",
  getInstance: "instance_read",
  searchTemplates: "user_read",
  createTemplate: "user_write",
  editTemplate: "user_write",
  deleteTemplate: "user_write",
  unlistVolume: "machine_write",
  listWebhooks: "user_read",
  listWorkergroups: "user_read",
  fetchImageTags: "user_read",
  deleteApiKey: "user_write",
  listInstances: "instance_read",
  listInstancesV0: "instance_read",
  destroyInstance: "instance_write",
  destroyInstances: "instance_write",
  updateInstance: "instance_write",
  setInstancesState: "instance_write",
  rebootInstance: "instance_write",
  changeBid: "instance_write",
  requestLogs: "instance_read",
  attachSshKey: "instance_write",
  listInstanceSshKeys: "instance_read",
  listSshKeys: "user_read",
  createSshKey: "user_write",
  listVolumes: "instance_read",
  createVolume: "instance_write",
  deleteVolume: "instance_write",
  listOverlays: "instance_read",
  createOverlay: "instance_write",
  deleteOverlay: "instance_write",
  listMachines: "machine_read",
  listApiKeys: "user_read",
  listCharges: "billing_read",
  createInstances: "instance_write",
  launchInstance: "instance_write",
  recycleInstance: "instance_write",
  removeBackgroundJobs: "machine_write",
  listEndpoints: "user_read",
  createEndpoint: "user_write",
  changeEndpoint: "user_write",
  deleteEndpoint: "user_write",
  deleteWorkergroup: "user_write",
};

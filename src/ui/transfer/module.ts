// Files on their way to a running instance and back.
import { commands } from "../../ids.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";
import type { Module } from "../kit/module.ts";
import { downloadToFolder } from "./download-command.ts";
import { uploadFolder } from "./upload-command.ts";

export function createTransferModule(services: ConnectionServices): Module {
  return {
    commands: {
      [commands.instanceUpload]: (args) => uploadFolder(services, args),
      [commands.instanceDownload]: (args) => downloadToFolder(services, args),
    },
    views: [],
  };
}

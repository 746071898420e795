// Settings as the person set them for themselves: no workspace can change what they say.
import * as vscode from "vscode";
import { splitSetting } from "../../ids.ts";

/** Seconds from a setting as milliseconds, within bounds whatever was typed. */
export function milliseconds(id: string, fallback: number, least: number, most: number): number {
  const [section, key] = splitSetting(id);
  const seconds = vscode.workspace.getConfiguration(section).inspect<number>(key)?.globalValue ?? fallback;
  return 1000 * Math.min(most, Math.max(least, Number.isFinite(seconds) ? seconds : fallback));
}

/** A number the person set for themselves; undefined where it is not above zero, which means no limit. */
export function readLimit(id: string): number | undefined {
  const [section, key] = splitSetting(id);
  const value = vscode.workspace.getConfiguration(section).inspect<number>(key)?.globalValue;
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** True only where it was turned on. */
export function isOn(id: string): boolean {
  const [section, key] = splitSetting(id);
  return vscode.workspace.getConfiguration(section).inspect<boolean>(key)?.globalValue === true;
}

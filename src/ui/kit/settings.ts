// The person's own user settings. No workspace can change them.
import * as vscode from "vscode";
import { splitSetting } from "../../ids.ts";

/** Seconds from a setting as milliseconds, clamped to bounds. */
export function milliseconds(id: string, fallback: number, least: number, most: number): number {
  const [section, key] = splitSetting(id);
  const seconds = vscode.workspace.getConfiguration(section).inspect<number>(key)?.globalValue ?? fallback;
  return 1000 * Math.min(most, Math.max(least, Number.isFinite(seconds) ? seconds : fallback));
}

/** A number that the person set. Undefined unless it is above zero; that means no limit. */
export function readLimit(id: string): number | undefined {
  const [section, key] = splitSetting(id);
  const value = vscode.workspace.getConfiguration(section).inspect<number>(key)?.globalValue;
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** True only if it was turned on. */
export function isOn(id: string): boolean {
  const [section, key] = splitSetting(id);
  return vscode.workspace.getConfiguration(section).inspect<boolean>(key)?.globalValue === true;
}

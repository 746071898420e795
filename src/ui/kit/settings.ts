// The person's own user settings. No workspace can change them.
import * as vscode from "vscode";
import { settings, splitSetting } from "../../ids.ts";

function readUserSetting<T>(id: string): T | undefined {
  const [section, key] = splitSetting(id);
  return vscode.workspace.getConfiguration(section).inspect<T>(key)?.globalValue;
}

/**
 * The address from the user's own settings. The setting is application-scoped. Reading the user's value explicitly also
 * ensures that no workspace can set the address, even if a future editor merged workspace settings in.
 */
export function chosenAddress(): string {
  return readUserSetting<string>(settings.baseUrl) ?? "";
}

/** Seconds from a setting as milliseconds, clamped to bounds. */
export function milliseconds(id: string, fallback: number, least: number, most: number): number {
  const seconds = readUserSetting<number>(id) ?? fallback;
  return 1000 * Math.min(most, Math.max(least, Number.isFinite(seconds) ? seconds : fallback));
}

/** A number that the person set. Undefined unless it is above zero; that means no limit. */
export function readLimit(id: string): number | undefined {
  const value = readUserSetting<number>(id);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** True only if it was turned on. */
export function isOn(id: string): boolean {
  return readUserSetting<boolean>(id) === true;
}

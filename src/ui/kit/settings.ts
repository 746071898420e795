// The person's own user settings. No workspace can change them.
import * as vscode from "vscode";
import { BASE_URL, splitSetting } from "../../ids.ts";

function readUserSetting<T>(id: string): T | undefined {
  const [section, key] = splitSetting(id);
  return vscode.workspace.getConfiguration(section).inspect<T>(key)?.globalValue;
}

/**
 * The address from the user's own settings. The setting is application-scoped. Reading the user's value explicitly also
 * ensures that no workspace can set the address, even if a future editor merged workspace settings in.
 */
export function readChosenAddress(): string {
  return readUserSetting<string>(BASE_URL) ?? "";
}

/** Seconds from a setting as milliseconds, clamped to bounds. */
export function readMilliseconds(id: string, fallback: number, least: number, most: number): number {
  const seconds = readUserSetting<number>(id) ?? fallback;
  return 1000 * Math.min(most, Math.max(least, Number.isFinite(seconds) ? seconds : fallback));
}

/** A number that the person set. Undefined unless it is above zero; that means no limit. */
export function readLimit(id: string): number | undefined {
  const value = readUserSetting<number>(id);
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** A list of whole numbers that the person set. Whatever else is in it is passed over. */
export function readWholeNumbers(id: string): readonly number[] {
  const value = readUserSetting<unknown>(id);
  return Array.isArray(value) ? value.filter((one): one is number => Number.isSafeInteger(one)) : [];
}

/** Adds a number to a list of the person's own settings, or takes it out. What else is in the list stays as it is. */
export async function changeListed(id: string, number: number, isListed: boolean): Promise<void> {
  const [section, key] = splitSetting(id);
  const value = readUserSetting<unknown>(id);
  const others = (Array.isArray(value) ? value : []).filter((one) => one !== number);
  const next = isListed ? [...others, number] : others;
  await vscode.workspace.getConfiguration(section).update(key, next, vscode.ConfigurationTarget.Global);
}

/** A number that the person set, within bounds; `fallback` for anything else. */
export function readWithin(id: string, fallback: number, least: number, most: number): number {
  const value = readUserSetting<unknown>(id);
  if (typeof value !== "number" || !Number.isFinite(value)) return fallback;
  return Math.min(most, Math.max(least, value));
}

/** Text that the person set. */
export function readText(id: string): string | undefined {
  const value = readUserSetting<unknown>(id);
  return typeof value === "string" ? value : undefined;
}

/** The one of these words that the person chose; the first one if they chose none. */
export function readChoice<const T extends string>(id: string, words: readonly [T, ...T[]]): T {
  const value = readUserSetting<unknown>(id);
  return words.find((word) => word === value) ?? words[0];
}

/** Writes one of the person's own settings. */
export async function writeChoice(id: string, word: string): Promise<void> {
  const [section, key] = splitSetting(id);
  await vscode.workspace.getConfiguration(section).update(key, word, vscode.ConfigurationTarget.Global);
}

/** True only if it was turned on. */
export function isOn(id: string): boolean {
  return readUserSetting<boolean>(id) === true;
}

// A key goes into the key store only together with what it is stored for.
import type { KeyStore } from "./profiles.ts";

/** Stores a key for what comes next. If that fails, the store holds what it held before. */
export async function storeKey(
  keyStore: KeyStore,
  id: string,
  key: string,
  next: () => Promise<unknown>,
): Promise<void> {
  const before = await keyStore.read(id);
  await keyStore.store(id, key);
  try {
    await next();
  } catch (error) {
    await (before === undefined ? keyStore.remove(id) : keyStore.store(id, before));
    throw error;
  }
}

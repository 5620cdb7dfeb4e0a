// What the document does not say of inputs.

/**
 * Values that are secrets of the caller's, by operation: they are read from a
 * file or from standard input, because everybody on a machine sees the
 * arguments of its processes.
 */
export const secretInputs: Readonly<Record<string, ReadonlyArray<string>>> = {
  "workload-identity.exchange": ["subject_token"],
  "registry.oauth": ["password"],
  // The address of an incoming webhook is the permission to write to its channel.
  "integrations.create": ["url", "headers"],
  "integrations.update": ["url", "headers"],
  "integrations.rotateSecret": ["url", "headers"]
}

/** Texts of many lines whose schema has no bound that tells. */
export const longInputs: ReadonlySet<string> = new Set(["user_data"])

/** What cannot be undone beside what DELETE removes. */
export const destructive: ReadonlySet<string> = new Set(["account.close", "accounts.finalize", "tenants.suspend"])

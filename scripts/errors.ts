import { failureTable } from "@portico/contract/Failures"
import { writeFileSync } from "node:fs"

/** Writes docs/tenants/errors.md from the table of failure codes: `node scripts/errors.ts`. A test compares the two. */
const cell = (text: string): string => text.replaceAll("|", "\\|")

const rows = failureTable
  .toSorted((one, other) => one.status - other.status || one.code.localeCompare(other.code))
  .map(({ cause, code, fix, status }) => `| \`${code}\` | ${status} | ${cell(cause)} | ${cell(fix)} |`)

export const errorsPage = `# Errors

Every error body has a \`detail\` for people and a stable \`code\` for programs; this table is generated from
\`packages/contract/src/failures\` by \`node scripts/errors.ts\`.

| code | status | cause | fix |
|---|---|---|---|
${rows.join("\n")}
`

if (import.meta.main) writeFileSync(new URL("../docs/tenants/errors.md", import.meta.url), errorsPage)

import { writeFileSync } from "node:fs"
import { rules } from "./rules.ts"

/** Writes docs/tenants/openstack-tools.md from the rules: `npm run tempest -- page`. A test compares the two. */
const cell = (text: string): string => text.replaceAll("|", "\\|")

const rows = rules.map(
  ({ does, instead, says, tests }) => `| ${cell(does)} | ${cell(says)} | ${cell(instead)} | ${tests.size} |`
)

export const toolsPage = `# What your OpenStack tools meet here

OpenStack's own test suite, Tempest, and the plugins of its services run through the gateway as a tenant: what passes
directly on a cloud passes through the gateway, but for the tests that meet one of these rules. Any tool meets the same
rules. The last column counts the tests that do.

| a tool that… | is told | do this instead | tests |
|---|---|---|---|
${rows.join("\n")}

Each refusal is in the shape in which the service itself refuses, so that a client shows the sentence:
[openstack-clients](openstack-clients.md). All rules, with their reasons: [proxy](proxy.md). The table is made by
\`npm run tempest -- page\`; [how](../developers/truth.md) the tests are run.
`

export const writePage = (): void =>
  writeFileSync(new URL("../../docs/tenants/openstack-tools.md", import.meta.url), toolsPage)

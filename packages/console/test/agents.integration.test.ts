import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person, sizes } from "./harness/Person.ts"

/** An agent's call of a tool, with the token that a person gave it. */
const callTool = (url: string, token: string, name: string): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name,
        arguments: {},
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "story", version: "1.0.0" }
        }
      }
    })
  })

inBrowser("agents in the console", (browser) => {
  const demo = demoOf()

  test("are connected, seen at work, limited by a policy, and ended all at once", async () => {
    const url = (await demo()).dev.agent_url ?? ""
    const olivia = await Person.as("owner", await browser(), await demo(), "/agents")
    await olivia.sees("No agents yet")
    await olivia.follow("Connect an agent")
    assert.include(await olivia.read("Address"), url)
    assert.include(await olivia.read("Settings of an MCP client"), "mcpServers")
    await olivia.isAccessible()
    await olivia.follow("Mint an agent's credential")
    await olivia.fill("Label", "triage <i>bot</i>")
    await olivia.fill("Ends after", "30")
    await olivia.submit()
    await olivia.page.waitForSelector('[role="dialog"] input[aria-invalid="true"]')
    await olivia.fill("Ends after", "2")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("This is shown once")
    const token = await olivia.read("Token for the MCP client")
    await olivia.click("I have saved it")

    const called = await callTool(url, token, "identity_whoami")
    assert.strictEqual(called.status, 200, await called.text())
    await olivia.follow("triage <i>bot</i>")
    await olivia.sees("What it did")
    await olivia.sees("identity_whoami")
    await olivia.isAccessible()
    await olivia.page.setViewport(sizes.phone)
    await olivia.fits()
    await olivia.page.setViewport(sizes.desk)

    await olivia.open("/agents/policy")
    await olivia.tick("every call that changes something")
    await olivia.tick("Agents may use the agent plane")
    await olivia.click("Save")
    await olivia.sees("The policy is saved.")
    const refused = await callTool(url, token, "identity_whoami")
    assert.include(await refused.text(), "agents_disabled")
    await olivia.tick("Agents may use the agent plane")
    await olivia.click("Save")
    await olivia.isAccessible()

    await olivia.open("/agents")
    await olivia.click("End all agents")
    await olivia.sees("It cannot be undone.")
    await olivia.fill("Type", "Acme")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("1 agent's credential is ended.")
    assert.strictEqual((await callTool(url, token, "identity_whoami")).status, 401)
    await olivia.seesNot("triage <i>bot</i>")
    await olivia.tick("Show revoked ones too")
    await olivia.sees("triage <i>bot</i>")
    olivia.hasNoFaults()
  })

  test("are not ended by an engineer, who sees their policy", async () => {
    const emil = await Person.as("engineer", await browser(), await demo(), "/agents")
    await emil.sees("Mint an agent's credential")
    await emil.seesNot("End all agents")
    await emil.open("/agents/policy")
    await emil.sees("Only owners and customer-admins with tier 2 change it.")
    await emil.seesNot("Save")
    emil.hasNoFaults()
  })
})

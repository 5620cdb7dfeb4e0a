import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"
import { apiOf } from "./harness/Tenant.ts"

inBrowser("approves a signup, with the budget before and after, and rejects another", (browser) => {
  const demo = demoOf()
  const at = async (path: string) => Person.as("operator", await browser(), await demo(), path)

  test("approves a signup, with the budget before and after, and rejects another", async () => {
    const place = await demo()
    const { signup } = apiOf(place)
    await signup.request({ email: "ann@initech.example", org_name: "Initech" })
    await signup.request({ email: "joker@nobody.example", org_name: "Nobody" })
    const ora = await at("/signups")
    await ora.follow("Initech")
    await ora.sees("The sellable budget with one more tenant")
    await ora.click("Approve")
    await ora.choice("standard")
    await ora.sees("+128")
    await ora.isAccessible()
    await ora.submit()
    await ora.sees("The tenant is live. Its first credential:")
    assert.match(await ora.text(), /Client secret/)
    await ora.click("I have saved it")
    await ora.sees("onboarded")
    await ora.follow("Initech")
    await ora.sees("Quotas and use")
    await ora.open("/signups")
    await ora.follow("Nobody")
    await ora.click("Reject")
    await ora.submit()
    await ora.sees("The signup is rejected.")
    await ora.sees("rejected")
    ora.hasNoFaults()
  })

  test("sees why an onboarding is stuck, and retries its rollback when the cause is mended", async () => {
    const place = await demo()
    const neutron = { service: "neutron", when: "before", as: { status: 503 } }
    await place.fails({ ...neutron, method: "POST", path: "/v2.0/subnets" })
    await place.fails({ ...neutron, method: "DELETE", path: "/v2.0/networks/*", times: "always" })
    const ora = await at("/tenants")
    await ora.click("Create a tenant")
    await ora.fill("Organisation", "Umbrella")
    await ora.submit()
    await ora.sees("onboarding_failed")
    await ora.open("/")
    await ora.follow("Onboardings stuck")
    await ora.sees("Umbrella")
    await ora.sees("Left behind")
    await ora.sees("neutron")
    await ora.isAccessible()
    await place.heals()
    await ora.click("Retry the rollback")
    await ora.submit()
    await ora.sees("None is like that")
    await ora.open("/onboardings")
    await ora.sees("Nothing is under way")
    await ora.open("/tenants?dialog=create")
    await ora.fill("Organisation", "Umbrella")
    await ora.submit()
    await ora.sees("The tenant is live. Its first credential:")
    await ora.click("I have saved it")
    await ora.sees("umbrella")
    ora.hasNoFaults()
  })

  test("publishes an incident, which customers see at once, and removes it", async () => {
    const ora = await at("/incidents")
    const olivia = await Person.as("owner", await browser(), await demo(), "/status")
    await olivia.sees("No incident stands now.")
    await ora.click("Publish")
    await ora.fill("Title", "Slow disks")
    await ora.select("Severity", "major")
    await ora.tick("Volumes and images")
    await ora.fill("Text", "The cause is known <b>and</b> is being removed.")
    await ora.isAccessible()
    await ora.submit()
    await ora.sees("It is published.")
    await ora.sees("Slow disks")
    await olivia.page.bringToFront()
    await olivia.sees("Slow disks")
    await olivia.sees("The cause is known <b>and</b> is being removed.")
    await ora.click("Remove")
    await ora.submit()
    await ora.sees("Nothing is announced")
    await olivia.page.bringToFront()
    await olivia.seesNot("Slow disks")
    ora.hasNoFaults()
    olivia.hasNoFaults()
  })

  test("announces maintenance, which changes no status", async () => {
    const ora = await at("/incidents?dialog=publish")
    await ora.choice("maintenance")
    await ora.fill("Title", "Switches are replaced")
    await ora.tick("Networks")
    await ora.submit()
    await ora.sees("Switches are replaced")
    await ora.sees("Operating normally.")
    await ora.click("Remove")
    await ora.submit()
    await ora.sees("Nothing is announced")
    ora.hasNoFaults()
  })

  test("moves a tenant's tier, suspends it and resumes it", async () => {
    const ora = await at("/tenants")
    await ora.follow("Globex")
    await ora.click("Change the tier")
    await ora.choice("standard")
    await ora.sees("Sold before")
    await ora.isAccessible()
    await ora.submit()
    await ora.sees("The tenant is in its tier.")
    await ora.sees("standard")
    await ora.click("Suspend")
    await ora.fill("Type", "Globex")
    await ora.submit()
    await ora.sees("The tenant is suspended.")
    const { status } = await apiOf(await demo(), "globex").iaas.post("volume/volumes", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ volume: { name: "more", size: 1 } })
    })
    assert.isAtLeast(status, 400)
    await ora.click("Resume")
    await ora.submit()
    await ora.sees("The suspension is over.")
    ora.hasNoFaults()
  })

  test("finds a quota that was changed by hand, and repairs it", async () => {
    const place = await demo()
    const globex = place.dev.tenants.find((_) => _.slug === "globex")?.project_id ?? ""
    const { operator_url, operator } = place.dev
    const { status } = await fetch(`${operator_url}/v1/iaas/compute/os-quota-sets/${globex}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${operator.token}`, "content-type": "application/json" },
      body: JSON.stringify({ quota_set: { cores: 99 } })
    })
    assert.strictEqual(status, 200)
    const ora = await at("/tenants/drift")
    await ora.sees("drifted")
    await ora.open(`/tenants/${globex}`)
    await ora.sees("99")
    await ora.click("Repair")
    await ora.submit()
    await ora.sees("The quotas are written again.")
    await ora.sees("everything is as it should be")
    ora.hasNoFaults()
  })

  test("cancels the deletion of a project, which is there again for its tenant", async () => {
    const place = await demo()
    const globex = apiOf(place, "globex", "owner")
    const [project] = (await globex.projects.list({})).projects
    assert.isDefined(project)
    // Nothing is destroyed meanwhile.
    const failing = { service: "cinder", times: "always", when: "before", as: { status: 503 } }
    await place.fails({ ...failing, method: "GET", path: "/**" })
    await globex.projects.remove({ project_id: project.project_id, confirm: project.project_name })
    const ora = await at("/accounts/deletions")
    await ora.follow(project.name)
    await ora.click("Cancel the deletion")
    await ora.isAccessible()
    const answered = ora.page.waitForResponse((_) => _.url().endsWith("/deletion/cancel"))
    await ora.submit()
    await answered
    await place.heals()
    // At once, or after the step that was under way.
    await ora.open(`/tenants/${project.project_id}`)
    await ora.sees("Change the tier")
    await ora.sees("cancelled")
    assert.strictEqual((await globex.projects.show({ project_id: project.project_id })).state, "live")
    await ora.open("/accounts/deletions")
    await ora.sees("No project is being deleted")
    ora.hasNoFaults()
  })

  test("reopens an account in its window, and destroys it when it is closed again", async () => {
    const place = await demo()
    const close = async () => {
      const owner = place.dev.tenants.find((_) => _.slug === "globex")?.tokens.owner ?? ""
      const answer = await fetch(`${place.dev.customer_url}/v1/account/close`, {
        method: "POST",
        headers: { authorization: `Bearer ${owner}`, "content-type": "application/json" },
        body: JSON.stringify({ confirm: "Globex" })
      })
      assert.isTrue(answer.ok, await answer.text())
    }
    await close()
    const ora = await at("/accounts?state=closing")
    await ora.choose("Actions: Globex", "Reopen")
    await ora.submit()
    await ora.sees("The account is open again.")
    await ora.sees("No account")
    await close()
    await ora.open("/accounts?q=globex")
    await ora.choose("Actions: Globex", "Destroy now")
    await ora.sees("Nothing restores them")
    await ora.isAccessible()
    await ora.fill("Type", "Globex")
    await ora.submit()
    await ora.sees("state a reason to destroy it earlier")
    await ora.fill("Reason", "The customer asked for it")
    await ora.submit()
    await ora.sees("The destruction is ordered.")
    ora.hasNoFaults()
  })

  test("finds signups, tenants, accounts and onboardings by keys alone", async () => {
    await apiOf(await demo()).signup.request({ email: "zoe@acme-two.example", org_name: "Acme Two" })
    const ora = await at("/capacity")
    await ora.sees("Forecast")
    await ora.press("/")
    await ora.page.waitForSelector("[role=dialog] input:focus")
    await ora.page.keyboard.type("acme")
    await ora.sees("Acme Two")
    const found = await ora.page.$$eval("[role=option]", (all) => all.map((_) => (_ as HTMLElement).innerText))
    for (const kind of ["Signup", "Tenant", "Account"])
      assert.isTrue(
        found.some((_) => _.endsWith(kind)),
        `${kind}: ${found.join()}`
      )
    await ora.press("Enter")
    await ora.page.waitForFunction(() => /signups\/|tenants\/|accounts\?q=/.test(location.href))
    await ora.page.goBack()
    await ora.sees("Forecast")
    await ora.isAt("/capacity")
    await ora.page.keyboard.down("Control")
    await ora.press("k")
    await ora.page.keyboard.up("Control")
    await ora.page.waitForSelector("[role=dialog] input:focus")
    ora.hasNoFaults()
  })

  test("reads German, states and services too", async () => {
    const place = await demo()
    await apiOf(place).signup.request({ email: "ann@massive.example", org_name: "Massive" })
    const ora = await at("/signups")
    await ora.sees("Massive")
    await ora.choose("You", "Deutsch")
    await ora.sees("wartet")
    const english = ["pending", "rejected", "onboarded", "open", "stuck", "ready", "degraded", "minor", "drifted"]
    const paths = ["/", "/signups", "/onboardings", "/accounts", "/upstreams", "/incidents?dialog=publish", "/tenants"]
    for (const path of paths) {
      await ora.open(path)
      await ora.isQuiet()
      const words = await ora.page.$$eval("main span, main option, [role=dialog] option, [role=dialog] label", (all) =>
        all.map((_) => _.textContent?.trim())
      )
      assert.isAbove(words.length, 3, path)
      assert.deepStrictEqual(
        words.filter((_) => _ !== undefined && english.includes(_)),
        [],
        path
      )
    }
    ora.hasNoFaults()
  })
})

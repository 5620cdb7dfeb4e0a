import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"
import { apiOf } from "./harness/Tenant.ts"

inBrowser("DNS at the console", (browser) => {
  const demo = demoOf()
  const at = async (path: string) => Person.as("owner", await browser(), await demo(), path)

  const zoneOf = async (name: string): Promise<string> => {
    const { dns } = apiOf(await demo())
    const { zone_id } = await dns.createZone({ name, email: "hostmaster@acme.example" })
    await dns.createRecordset({ zone_id, name: "www", type: "A", ttl: 300, records: ["203.0.113.20"] })
    return zone_id
  }

  test("a zone is created, its records are edited where they stand, and it is deleted by its name", async () => {
    const olivia = await at("/dns/zones")
    await olivia.click("Create a DNS zone")
    await olivia.fill("Name", "acme-shop.example.")
    await olivia.fill("Contact", "hostmaster@acme.example")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.click("Add records")
    await olivia.fill("Name", "www")
    await olivia.fill("Records, one a line", "203.0.113.20")
    await olivia.isAccessible()
    await olivia.submit("New records")
    await olivia.sees("203.0.113.20")
    await olivia.click("Edit A of www.acme-shop.example.")
    await olivia.fill("Records, one a line", "no address")
    await olivia.submit("Edit A of www.acme-shop.example.")
    await olivia.sees("What to do")
    await olivia.fill("Records, one a line", "203.0.113.21")
    await olivia.submit("Edit A of www.acme-shop.example.")
    await olivia.sees("203.0.113.21")
    await olivia.seesNot("203.0.113.20")
    await olivia.click("Delete A of www.acme-shop.example.")
    await olivia.fill("Type", "www.acme-shop.example.")
    await olivia.submit()
    await olivia.seesNot("203.0.113.21")
    await olivia.click("Delete the zone")
    await olivia.fill("Type", "acme-shop.example.")
    await olivia.submit()
    await olivia.sees("No DNS zones yet")
    olivia.hasNoFaults()
  })

  test("two windows edit one record: the second sees what the first has done before anything is lost", async () => {
    const id = await zoneOf("twice.example.")
    const first = await at(`/dns/zones/${id}`)
    await first.click("Edit A of www.twice.example.")
    await first.fill("Records, one a line", "198.51.100.1")
    const second = await first.anotherWindow(`/dns/zones/${id}`)
    await second.click("Edit A of www.twice.example.")
    await second.fill("Records, one a line", "198.51.100.2")
    await second.submit("Edit A of www.twice.example.")
    await second.sees("The change is saved.")
    await first.page.bringToFront()
    await first.sees("Somebody has changed these records since you began")
    await first.isAccessible()
    await first.click("Save mine over it")
    await first.sees("The change is saved.")
    await second.page.bringToFront()
    await second.sees("198.51.100.1")
    const { recordsets } = await apiOf(await demo()).dns.recordsets({ zone_id: id, type: "A" })
    assert.deepStrictEqual(
      recordsets.map((_) => _.records),
      [["198.51.100.1"]]
    )
    first.hasNoFaults()
    second.hasNoFaults()
  })

  test("an open page shows what another client does to the records of the zone", async () => {
    const id = await zoneOf("open.example.")
    const olivia = await at(`/dns/zones/${id}`)
    await olivia.sees("203.0.113.20")
    await olivia.seesNot("Pending")
    const { dns } = apiOf(await demo())
    const shop = { zone_id: id, name: "shop", type: "A", ttl: 300 } as const
    const { recordset_id } = await dns.createRecordset({ ...shop, records: ["203.0.113.21"] })
    await olivia.sees("203.0.113.21")
    await olivia.seesNot("Pending")
    await dns.changeRecordset({ zone_id: id, recordset_id, records: ["203.0.113.22"], ttl: 300 })
    await olivia.sees("203.0.113.22")
    await olivia.seesNot("Pending")
    await dns.removeRecordset({ zone_id: id, recordset_id })
    await olivia.seesNot("203.0.113.22")
    olivia.hasNoFaults()
  })

  test("a zone file is imported after its difference was shown, and the delegation is looked up", async () => {
    const id = await zoneOf("moved.example.")
    const olivia = await at(`/dns/zones/${id}`)
    await olivia.click("Import a zone file")
    await olivia.fill("Zone file", "$ORIGIN moved.example.\nwww 300 IN A 192.0.2.7\nmail 300 IN A 192.0.2.8\nbroken IN")
    await olivia.submit()
    await olivia.sees("line 4: no record type")
    await olivia.fill("Zone file", "$ORIGIN moved.example.\nwww 300 IN A 192.0.2.7\nmail 300 IN A 192.0.2.8\n")
    await olivia.submit()
    await olivia.sees("New: 1")
    await olivia.sees("Changed: 1")
    await olivia.isAccessible()
    await olivia.click("Apply")
    await olivia.sees("The zone file is imported.")
    await olivia.sees("192.0.2.8")
    await olivia.click("Check now")
    await olivia.sees("Name servers to enter")
    olivia.hasNoFaults()
  })
})

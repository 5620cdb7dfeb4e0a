import { PorticoError } from "@portico/client/PorticoError"
import * as v from "valibot"
import { listOf, oneOf } from "../../platform/lists.ts"
import { platformCall } from "../../platform/platform.ts"
import { platformOutdated, pollMillis } from "../../platform/usePlatform.ts"
import { Server } from "../server.ts"

const Identified = v.object({ id: v.string() })
const server = oneOf("server", Server)
const ports = listOf("ports", Identified)
const networks = listOf("networks", Identified)

/** Building takes a minute; after this it is not waited for any more. */
const mostLooks = 600

const pause = () => new Promise((resolve) => setTimeout(resolve, pollMillis))

const failed = (detail: string) => new PorticoError("platform_refused", { detail, status: 0, operation: "iaas.get" })

const whenBuilt = async (id: string, report: (progress: string) => void): Promise<void> => {
  for (let look = 0; look < mostLooks; look += 1) {
    const { fault, status, task } = v.parse(server, await platformCall("GET", `compute/servers/${id}`))
    if (status === "ACTIVE") return
    if (status === "ERROR") throw failed(fault === "" ? "The platform could not build the server" : fault)
    report(task === "" ? status : `${status} · ${task}`)
    await pause()
  }
  throw failed("The platform still builds the server")
}

const withFloatingIp = async (id: string): Promise<void> => {
  const [port] = v.parse(ports, await platformCall("GET", `network/ports?device_id=${id}`))
  const [external] = v.parse(networks, await platformCall("GET", "network/networks?router%3Aexternal=True"))
  if (port === undefined || external === undefined) throw failed("There is no external network for a floating IP")
  await platformCall("POST", "network/floatingips", {
    body: { floatingip: { floating_network_id: external.id, port_id: port.id } }
  })
}

/** Waits until the server is up, and then gives it its floating IP. */
export const bringUp =
  (id: string, floating: boolean) =>
  async (report: (progress: string) => void): Promise<void> => {
    report("BUILD")
    await whenBuilt(id, report)
    if (floating) {
      report("floating IP")
      await withFloatingIp(id)
    }
    await platformOutdated()
  }

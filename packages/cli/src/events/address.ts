import { Option } from "effect"
import { Flag } from "../effectCli.ts"

/** An http address, also without its scheme. Without user name and password, which a webhook does not have either. */
const addressOf = (text: string): Option.Option<URL> => {
  const full = text.includes("://") ? text : `http://${text}`
  if (!URL.canParse(full)) return Option.none()
  const url = new URL(full)
  const isPlain = /^https?:$/.test(url.protocol) && url.hostname !== "" && url.username === "" && url.password === ""
  return isPlain ? Option.some(url) : Option.none()
}

/** Whether what is sent there stays on this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" ||
  hostname.endsWith(".localhost") ||
  hostname === "[::1]" ||
  /^127\.\d+\.\d+\.\d+$/.test(hostname)

export const forwardToFlag = Flag.String("forward-to").pipe(
  Flag.withDescription("The address that events are posted to, such as http://localhost:3000/hook"),
  Flag.withMetavar("address"),
  Flag.filterMap(addressOf, (text) => `Expected an address such as http://localhost:3000/hook, got '${text}'`)
)

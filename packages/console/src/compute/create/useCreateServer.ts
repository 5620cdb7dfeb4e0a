import * as v from "valibot"
import { oneOf } from "../../platform/lists.ts"
import { platformCall } from "../../platform/platform.ts"
import { type PlatformWrite, usePlatformSteps } from "../../platform/usePlatform.ts"
import { followWork } from "../../works/works.ts"
import { hrefOf } from "../server.ts"
import { bringUp } from "./bringUp.ts"
import { bodyOf, type NewServer } from "./newServer.ts"

const made = oneOf("server", v.object({ id: v.string() }))

export interface NewKey {
  readonly name: string
  readonly publicKey: string
}

interface Wanted {
  readonly server: NewServer
  /** A key pair that is imported first. */
  readonly key: NewKey | undefined
}

export const keyWrite = ({ name, publicKey }: NewKey): PlatformWrite => ({
  method: "POST",
  path: "compute/os-keypairs",
  body: { keypair: { name, public_key: publicKey.trim() } }
})

/** The writes, in their order, as they are sent and shown. */
export const writesOf = ({ key, server }: Wanted): ReadonlyArray<PlatformWrite> => [
  ...(key === undefined ? [] : [keyWrite(key)]),
  {
    method: "POST",
    path: "compute/servers",
    body: bodyOf(key === undefined ? server : { ...server, keyName: key.name })
  }
]

interface Made {
  /** The key is there: a second try takes it as it is. */
  readonly onKey: (name: string) => void
  readonly onServer: (id: string) => void
  readonly title: (name: string) => string
}

/** Imports the key if there is one, starts the server, and follows it until it is up. */
export const useCreateServer = ({ onKey, onServer, title }: Made) =>
  usePlatformSteps(async (wanted: Wanted) => {
    let answer: unknown
    for (const { body, method, path } of writesOf(wanted)) {
      answer = await platformCall(method, path, { body })
      if (wanted.key !== undefined && path === "compute/os-keypairs") onKey(wanted.key.name)
    }
    const { id } = v.parse(made, answer)
    const { floating, name } = wanted.server
    followWork({ title: title(name), href: hrefOf(id), wait: bringUp(id, floating) })
    onServer(id)
  })

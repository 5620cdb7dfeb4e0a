import { assert, describe, it } from "@effect/vitest"
import { SourceAddresses } from "@portico/gateway/requests/sourceAddress"
import { ConfigProvider, Effect, Layer } from "effect"
import { sentencesOf } from "../../src/launch.ts"

const sourcesWith = (trusted: string | undefined) =>
  SourceAddresses.layer.pipe(
    Layer.provide(
      ConfigProvider.layer(ConfigProvider.fromEnv({ env: trusted === undefined ? {} : { TRUSTED_PROXIES: trusted } }))
    )
  )

const none = undefined
const ours = "10.0.0.0/8, fd00::/8,192.0.2.7"

/** The setting, the other end of the connection, the header, and whose request it is. */
const arrivals: Readonly<
  Record<string, readonly [trusted: string | undefined, peer: string, header: string | undefined, source: string]>
> = {
  "no proxy is trusted": [none, "10.0.0.1", "203.0.113.9", "10.0.0.1"],
  "the setting is empty": ["", "10.0.0.1", "203.0.113.9", "10.0.0.1"],
  "all of IPv6 is trusted, and IPv4 in it": ["::/0", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
  "every proxy is trusted": ["0.0.0.0/0,::/0", "::1", "203.0.113.9, 2001:db8::1", "203.0.113.9"],
  "a network in IPv6 of addresses of IPv4": ["::ffff:10.0.0.0/104", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
  "bits behind the length of a network": ["10.1.2.3/8", "10.0.0.1", "203.0.113.9", "203.0.113.9"],
  "a stranger sends the header": [ours, "203.0.113.1", "198.51.100.1", "203.0.113.1"],
  "a proxy sends none": [ours, "10.0.0.1", none, "10.0.0.1"],
  "a proxy sends an empty one": [ours, "10.0.0.1", "", "10.0.0.1"],
  "behind one proxy": [ours, "10.0.0.1", "203.0.113.9", "203.0.113.9"],
  "behind a proxy that is trusted by its own address": [ours, "192.0.2.7", "203.0.113.9", "203.0.113.9"],
  "behind its neighbour, who is not": [ours, "192.0.2.8", "203.0.113.9", "192.0.2.8"],
  "the client's own entry is on the left": [ours, "10.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"],
  "the client claims to be a proxy of ours": [ours, "10.0.0.1", "10.9.9.9, 203.0.113.9", "203.0.113.9"],
  "behind two proxies": [ours, "10.0.0.1", "203.0.113.9, 10.0.0.2", "203.0.113.9"],
  "a client within the trusted networks": [ours, "10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"],
  "a repeated header": [ours, "10.0.0.1", "198.51.100.1,203.0.113.9 ,\t10.0.0.2", "203.0.113.9"],
  "with ports": [ours, "10.0.0.1", "203.0.113.9:4711, 10.0.0.2:80", "203.0.113.9"],
  "IPv6 with a port": [ours, "10.0.0.1", "[2001:DB8::9]:4711", "2001:db8::9"],
  "IPv6 in brackets": [ours, "fd00::1", "[2001:db8:0::9]", "2001:db8::9"],
  "IPv6 as it is": [ours, "fd00::1", "2001:db8::9", "2001:db8::9"],
  "a socket that speaks both": [ours, "::ffff:10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"],
  "a proxy that does not know": [ours, "10.0.0.1", "203.0.113.9, unknown", "10.0.0.1"],
  "something else in the middle": [ours, "10.0.0.1", "203.0.113.9, x, 10.0.0.2", "10.0.0.2"],
  "an address with a leading zero": [ours, "10.0.0.1", "010.0.0.1", "10.0.0.1"],
  "a very long list": [ours, "10.0.0.1", "10.0.0.2,".repeat(2000) + "10.0.0.3", "10.0.0.2"]
}

describe("the source address of a request", () => {
  for (const [title, [trusted, peer, forwardedFor, source]] of Object.entries(arrivals)) {
    it.effect(`${title}: ${source}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* SourceAddresses).of({ peer, forwardedFor }), source)
      }).pipe(Effect.provide(sourcesWith(trusted)))
    )
  }

  it.effect("is undefined for a closed connection, with any header", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* SourceAddresses).of({ peer: undefined, forwardedFor: "203.0.113.9" }))
    }).pipe(Effect.provide(sourcesWith(ours)))
  )

  for (const wrong of [
    "10.0.0.0/33",
    "10.0.0/8",
    "fd00::/129",
    "proxy.example",
    "10.0.0.0/8;10.1.0.0/8",
    ",",
    " , ",
    "*",
    "/8",
    "192.0.2.1/",
    "192.0.2.1/-1",
    "fe80::1%eth0/64"
  ]) {
    it.effect(`a process does not start with TRUSTED_PROXIES=${wrong}, and gives the reason`, () =>
      Effect.gen(function* () {
        const cause = yield* Effect.flip(Effect.sandbox(Layer.build(sourcesWith(wrong))))
        assert.deepStrictEqual(sentencesOf(cause), [
          "the setting TRUSTED_PROXIES is not what it should be: Expected networks such as 192.0.2.0/24, separated by commas"
        ])
      }).pipe(Effect.scoped)
    )
  }
})

describe("an address", () => {
  for (const [text, spelling] of [
    ["192.0.2.1", "192.0.2.1"],
    ["2001:DB8:0:0::1", "2001:db8::1"],
    ["::FFFF:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["fe80::1%eth0", "fe80::1"],
    ["::1", "::1"]
  ] as const) {
    it.effect(`${text} has one spelling: ${spelling}`, () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* SourceAddresses).of({ peer: text, forwardedFor: undefined }), spelling)
      }).pipe(Effect.provide(sourcesWith(undefined)))
    )
  }

  for (const text of ["", " 192.0.2.1", "192.0.2", "192.0.2.256", "0x7f000001", "::g", "1.2.3.4.5", "192.0.2.1%eth0"]) {
    it.effect(`'${text}' is refused`, () =>
      Effect.gen(function* () {
        assert.isUndefined((yield* SourceAddresses).of({ peer: text, forwardedFor: undefined }))
      }).pipe(Effect.provide(sourcesWith(undefined)))
    )
  }
})

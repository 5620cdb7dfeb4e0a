import { assert, it } from "@effect/vitest"
import { partsOfProtobuf } from "@portico/gateway/proxy/kubernetes/protobuf"

const field = (number: number, content: Uint8Array): Buffer => {
  const length = [(content.length & 0x7f) | 0x80, ((content.length >> 7) & 0x7f) | 0x80, content.length >> 14]
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length), content])
}

/** A Service with one port, whose node port is spelled by each of the varints. */
const service = (...nodePorts: ReadonlyArray<ReadonlyArray<number>>): Buffer => {
  const port = Buffer.concat(nodePorts.map((_) => Buffer.of(5 << 3, ..._)))
  return Buffer.concat([Buffer.from("k8s\0", "latin1"), field(2, field(2, field(1, port)))])
}

const nodePort = { path: ["spec", "ports", "*", "nodePort"], numbers: [2, 1, 5], as: "number" } as const
const part = (port: number) => ({ spec: { ports: { "*": { nodePort: port } } } })

it("a repeated field of an object in protobuf is checked once, and the last one as well", () => {
  const body = service(...Array.from({ length: 9_998 }, () => [0]), [0xb0, 0xea, 0x01])
  assert.deepStrictEqual(partsOfProtobuf(body, [nodePort]), [part(0), part(30_000)])
})

it("an object in protobuf with too many different values is refused", () => {
  const distinct = Array.from({ length: 2_001 }, (_, n) => [(n & 0x7f) | 0x80, n >> 7])
  assert.isUndefined(partsOfProtobuf(service(...distinct), [nodePort]))
  assert.lengthOf(partsOfProtobuf(service(...distinct.slice(1)), [nodePort]) ?? [], 2_000)
})

import { Effect } from "effect"
import kafkajs, { type Admin } from "kafkajs"
import { execFile, type ChildProcess, spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { createInterface } from "node:readline"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

/** Where `scripts/parts/kafka.sh` puts Apache Kafka. */
const library = "/opt/portico-parts/kafka/lib"

/** Whether a real Apache Kafka can be started here. */
export const isHere: boolean =
  existsSync(library) && ["java", "kcat", "openssl"].every((_) => spawnSync(_, ["-version"]).error === undefined)

/** The name that tests have without it, so that nobody takes them for passed. */
export const named = (title: string): string =>
  isHere ? title : `${title}: NOT RUN, scripts/parts/kafka.sh HAS NOT INSTALLED APACHE KAFKA`

const run = promisify(execFile)

/** Starts quickly rather than runs fast: a broker of a story lives for half a minute. */
const java = [
  "-XX:TieredStopAtLevel=1",
  "-XX:+UseSerialGC",
  "-Xmx384m",
  "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
]

/** The brokers answer at once that there is nothing more. */
const eager = ["-X", "fetch.wait.max.ms=10", "-X", "fetch.min.bytes=1"]

/** A message as it is in a topic. */
export interface Kept {
  readonly partition: number
  readonly key: string
  /** As kcat writes them: `name=value,name=value`. */
  readonly headers: string
  readonly value: string
}

interface Listener {
  readonly name: string
  readonly protocol: string
}

/** One for each way in. The administrator, who may do everything, comes without a login. */
const listeners: ReadonlyArray<Listener> = [
  { name: "ADMIN", protocol: "PLAINTEXT" },
  { name: "TLS", protocol: "SSL" },
  { name: "LOGIN", protocol: "SASL_PLAINTEXT" },
  { name: "BOTH", protocol: "SASL_SSL" },
  { name: "CONTROLLER", protocol: "PLAINTEXT" }
]

export const password = "a-secret-of-the-bus"

const preferred = ["--election-type", "preferred", "--all-topic-partitions"]

interface Made {
  readonly partitions?: number
  readonly config?: Readonly<Record<string, string>>
}

interface Options {
  readonly nodes?: 1 | 3
  /** Further settings of every broker. */
  readonly settings?: Readonly<Record<string, string>>
  /** Names of users beside `portico`, with the same password. */
  readonly users?: ReadonlyArray<string>
}

/** Brokers of a real Apache Kafka that are also its controllers (KRaft), on free ports, for as long as the scope. */
export const realBrokers = Effect.fnUntraced(function* ({ nodes: count = 1, settings = {}, users = [] }: Options = {}) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), `portico-kafka-${process.pid}-`))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const ports = yield* freePorts(count * listeners.length)
  const portOf = (node: number, name: string): number =>
    ports[node * listeners.length + listeners.findIndex((_) => _.name === name)] ?? 0
  const addressesOf = (name: string): string =>
    Array.from({ length: count }, (_, node) => `127.0.0.1:${portOf(node, name)}`).join(",")
  const ca = yield* certificates(folder)

  const cluster = randomBytes(16).toString("base64url")
  const configs = Array.from({ length: count }, (_, node) => {
    const file = join(folder, `node-${node}.properties`)
    const each = (line: (_: Listener) => string) => listeners.map(line).join(",")
    const properties: Readonly<Record<string, string>> = {
      "process.roles": "broker,controller",
      "node.id": `${node}`,
      "controller.quorum.voters": Array.from(
        { length: count },
        (_, other) => `${other}@127.0.0.1:${portOf(other, "CONTROLLER")}`
      ).join(","),
      "controller.listener.names": "CONTROLLER",
      "inter.broker.listener.name": "ADMIN",
      listeners: each(({ name }) => `${name}://127.0.0.1:${portOf(node, name)}`),
      "listener.security.protocol.map": each(({ name, protocol }) => `${name}:${protocol}`),
      "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
      ...Object.fromEntries(
        ["login", "both"].map((name) => [
          `listener.name.${name}.plain.sasl.jaas.config`,
          `org.apache.kafka.common.security.plain.PlainLoginModule required user_portico="${password}";`
        ])
      ),
      ...Object.fromEntries(
        ["login", "both"].flatMap((name) =>
          ["256", "512"].map((bits) => [
            `listener.name.${name}.scram-sha-${bits}.sasl.jaas.config`,
            "org.apache.kafka.common.security.scram.ScramLoginModule required;"
          ])
        )
      ),
      "ssl.keystore.type": "PEM",
      "ssl.keystore.location": join(folder, "broker.pem"),
      "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
      "super.users": "User:ANONYMOUS",
      "log.dirs": join(folder, `data-${node}`),
      "auto.create.topics.enable": "false",
      "offsets.topic.replication.factor": `${count}`,
      "offsets.topic.num.partitions": "1",
      // What a broker waits for in production would be most of a story.
      "group.initial.rebalance.delay.ms": "0",
      "broker.session.timeout.ms": "3000",
      "broker.heartbeat.interval.ms": "500",
      "controller.quorum.fetch.timeout.ms": "1000",
      "controller.quorum.election.timeout.ms": "500",
      ...settings
    }
    writeFileSync(
      file,
      Object.entries(properties)
        .map(([name, value]) => `${name}=${value}\n`)
        .join("")
    )
    return file
  })
  yield* format(configs, cluster, folder, ["portico", ...users])

  const nodes = yield* Effect.forEach(
    configs,
    (config, node) => nodeOf(config, join(folder, `node-${node}.log`), portOf(node, "ADMIN")),
    { concurrency: "unbounded" }
  )

  const admin = addressesOf("ADMIN")
  const kcat = (...args: ReadonlyArray<string>) =>
    Effect.map(
      Effect.promise(() => run("kcat", ["-b", admin, ...args], { maxBuffer: 512 * 1024 * 1024 })),
      (_) => _.stdout
    )

  const tool = (name: string, ...args: ReadonlyArray<string>) =>
    Effect.map(
      Effect.promise(() => run("java", [...java, "-cp", `${library}/*`, `org.apache.kafka.tools.${name}`, ...args])),
      (_) => _.stdout
    )
  const administrate = (change: (client: Admin) => Promise<unknown>) =>
    Effect.promise(async () => {
      const client = new kafkajs.Kafka({ brokers: admin.split(","), logLevel: kafkajs.logLevel.NOTHING }).admin()
      await client.connect()
      await change(client)
      await client.disconnect()
    })

  return {
    /** Of the administrator, without login and TLS: `host:port` each, separated by commas. */
    admin,
    /** With TLS, without a login, which makes every caller the administrator. */
    tls: addressesOf("TLS"),
    /** With a login of SASL, without TLS. */
    login: addressesOf("LOGIN"),
    /** With TLS and SASL. */
    both: addressesOf("BOTH"),
    /** The file of the authority that signed the brokers' certificates. */
    ca,
    nodes,
    /** A program of the distribution, by its class, and what it prints. */
    tool,
    /** The user has no password of SCRAM-SHA-512 any more. What it is connected with stays. */
    withdraw: (user: string) =>
      Effect.promise(() => {
        const tool = ["-cp", `${library}/*`, "kafka.admin.ConfigCommand", "--bootstrap-server", admin]
        const change = ["--entity-type", "users", "--entity-name", user, "--delete-config", "SCRAM-SHA-512"]
        return run("java", [...java, ...tool, "--alter", ...change])
      }),
    /** Makes a topic of another owner than the gateway. */
    make: (topic: string, { config = {}, partitions = 1 }: Made = {}) =>
      administrate((client) =>
        client.createTopics({
          waitForLeaders: true,
          topics: [
            {
              topic,
              numPartitions: partitions,
              replicationFactor: count,
              configEntries: Object.entries(config).map(([name, value]) => ({ name, value }))
            }
          ]
        })
      ),
    /** Has a broker lead what another one leads, of this topic; both stay up. */
    moveLeaders: Effect.fnUntraced(function* (topic: string, from: number, to: number) {
      yield* administrate(async (client) => {
        const { topics } = await client.fetchTopicMetadata({ topics: [topic] })
        const partitionAssignment = (topics[0]?.partitions ?? [])
          .filter(({ leader }) => leader === from)
          .map(({ partitionId, replicas }) => ({
            partition: partitionId,
            replicas: [to, ...replicas.filter((_) => _ !== to)]
          }))
        if (partitionAssignment.length > 0) {
          await client.alterPartitionReassignments({ topics: [{ topic, partitionAssignment }] })
        }
      })
      yield* tool("LeaderElectionCommand", "--bootstrap-server", admin, ...preferred)
    }),
    /** Runs a shell block of a document as its reader does, with the programs that it names. */
    shell: Effect.fnUntraced(function* (block: string, env: Readonly<Record<string, string>>) {
      const bin = join(folder, "bin")
      mkdirSync(bin, { recursive: true })
      for (const [name, tool] of [
        ["kafka-acls.sh", "AclCommand"],
        ["kafka-topics.sh", "TopicCommand"]
      ]) {
        const command = `exec java ${java.join(" ")} -cp '${library}/*' org.apache.kafka.tools.${tool} "$@"`
        writeFileSync(join(bin, name ?? ""), `#!/bin/sh\n${command}\n`, { mode: 0o755 })
      }
      yield* Effect.promise(() =>
        run("bash", ["-euo", "pipefail", "-c", block], { env: { ...env, PATH: `${bin}:${process.env["PATH"]}` } })
      )
    }),
    /** The leader of a partition: an index of {@link nodes}. */
    leaderOf: (topic: string, partition = 0) =>
      Effect.map(kcat("-L", "-t", topic), (text) =>
        Number(new RegExp(`partition ${partition}, leader (-?\\d+)`).exec(text)?.[1] ?? -1)
      ),
    /** The key and the headers of each message of a topic, those of a partition in order, however many there are. */
    each: (topic: string, take: (key: string, headers: string) => void) =>
      Effect.promise(async () => {
        const args = ["-b", admin, "-C", "-t", topic, "-o", "beginning", "-e", "-q", ...eager, "-f", "%k\t%h\n"]
        const reader = spawn("kcat", args, { stdio: ["ignore", "pipe", "ignore"] })
        for await (const line of createInterface({ input: reader.stdout })) {
          const [key = "", headers = ""] = line.split("\t")
          take(key, headers)
        }
      }),
    /** All messages of a topic, of each partition in order. */
    read: (topic: string) =>
      Effect.map(kcat("-C", "-t", topic, "-o", "beginning", "-e", "-q", ...eager, "-f", "%p\t%k\t%h\t%s\n"), (lines) =>
        lines
          .split("\n")
          .slice(0, -1)
          .map((line): Kept => {
            const [partition = "", key = "", headers = "", value = ""] = line.split("\t")
            return { partition: Number(partition), key, headers, value }
          })
          .toSorted((a, b) => a.partition - b.partition)
      ),
    /** Writes messages, one a value, with further arguments of kcat such as `-z zstd`. */
    write: (topic: string, key: string, values: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const writer = spawn("kcat", ["-P", "-b", admin, "-t", topic, "-k", key, ...args], {
          stdio: ["pipe", "ignore", "pipe"]
        })
        let said = ""
        writer.stderr.setEncoding("utf8").on("data", (text: string) => {
          said += text
        })
        const ended = once(writer, "exit")
        writer.stdin.end(values.map((_) => `${_}\n`).join(""))
        const [code] = await ended
        if (code !== 0) throw new Error(`kcat could not write: ${said}`)
      })
  }
})

/** Formats the storage of every node, in one run of the program: they differ in two lines. */
const format = Effect.fnUntraced(function* (
  configs: ReadonlyArray<string>,
  cluster: string,
  folder: string,
  names: ReadonlyArray<string>
) {
  const users = names.flatMap((name) =>
    ["256", "512"].flatMap((bits) => ["--add-scram", `SCRAM-SHA-${bits}=[name=${name},password=${password}]`])
  )
  const args = [...java, "-cp", `${library}/*`, "kafka.tools.StorageTool", "format", "-t", cluster]
  yield* Effect.promise(() => run("java", [...args, "-c", configs[0] ?? "", ...users]))
  const first = join(folder, "data-0")
  for (const node of configs.keys()) {
    const data = join(folder, `data-${node}`)
    if (data !== first) cpSync(first, data, { recursive: true })
    const directory = randomBytes(16).toString("base64url")
    writeFileSync(
      join(data, "meta.properties"),
      `version=1\ncluster.id=${cluster}\nnode.id=${node}\ndirectory.id=${directory}\n`
    )
  }
})

const alive = new Set<ChildProcess>()

// A test run that is cut short closes no scope.
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL")
})

/** A broker that can be stopped and started again, with what it has kept. */
const nodeOf = Effect.fnUntraced(function* (config: string, log: string, port: number) {
  let running: ChildProcess | undefined
  const end = (signal: NodeJS.Signals) =>
    Effect.promise(async () => {
      const child = running
      running = undefined
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, "exit")
      child.kill(signal)
      await ended
    })
  const start = Effect.promise(async () => {
    const child = spawn(
      "bash",
      ["-c", 'exec java "$@" >>"$LOG" 2>&1', "bash", ...java, "-cp", `${library}/*`, "kafka.Kafka", config],
      { stdio: "ignore", env: { PATH: process.env["PATH"], LOG: log } }
    )
    running = child
    alive.add(child.once("exit", () => alive.delete(child)))
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`Apache Kafka ended: ${readFileSync(log, "utf8").slice(-4000)}`)
      // oxlint-disable-next-line live/waits -- a real broker, for integration stories
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
  yield* Effect.acquireRelease(start, () => end("SIGKILL"))
  return {
    start,
    /** Suddenly: its partitions have no leader until the controller notices. */
    kill: end("SIGKILL"),
    /** In good order: it hands its partitions over first. */
    stop: end("SIGTERM")
  }
})

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

/** Ports that were free a moment ago. */
const freePorts = (count: number) =>
  Effect.promise(async () => {
    const servers = Array.from({ length: count }, () => createServer())
    const found: Array<number> = []
    for (const server of servers) {
      await once(server.listen(0, "127.0.0.1"), "listening")
      const at = server.address()
      found.push(typeof at === "object" && at !== null ? at.port : 0)
    }
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    return found
  })

/** An authority, and a certificate of it for 127.0.0.1 that the brokers share. */
const certificates = Effect.fnUntraced(function* (folder: string) {
  const script = `
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj "/CN=authority of a story"
    openssl req -newkey rsa:2048 -nodes -keyout broker.key -out broker.csr -subj "/CN=broker"
    openssl x509 -req -in broker.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out broker.crt \
      -extfile <(echo subjectAltName=IP:127.0.0.1)
    cat broker.key broker.crt ca.pem >broker.pem`
  yield* Effect.promise(() => run("bash", ["-euc", script], { cwd: folder }))
  return join(folder, "ca.pem")
})

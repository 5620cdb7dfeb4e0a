import { assert, describe, layer } from "@effect/vitest"
import { fixtures } from "@portico/simulator/Fixtures"
import { gatewaySettings } from "@portico/simulator/settings"
import { nativeClientId } from "@portico/simulator/zitadel/state"
import { Context, Effect, Layer, Predicate, Redacted } from "effect"
import { audienceScope, projectsRolesScope } from "@portico/simulator/zitadel/tokens"
import { TestDatabase } from "@portico/testing/store/TestDatabase"
import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Agent, request } from "undici"
import { parse, stringify } from "yaml"
import { freePort } from "../limits/redis.ts"
import { certificateIn } from "../harness/Tls.ts"
import { folder, isInstalled } from "../parts/parts.ts"
import { programOf } from "../processes/bundles.ts"
import { eventually, firstLine, repository, spawned } from "../processes/children.ts"
import { installPage as page, shellBlocks, textOf } from "../processes/Document.ts"
import { Node } from "./Node.ts"
import { isHere, RealCluster, title } from "./RealCluster.ts"
import { canIsolate, relay, Sandboxes } from "./Sandboxes.ts"

const chart = "deploy/helm/portico"
const charts = "/opt/portico-parts/charts"

/** The values beside which the page writes its own, and these. */
const examples = ["deploy/manifests/values.yaml", page]

const merged = (one: unknown, other: unknown): unknown =>
  Predicate.isObject(one) && Predicate.isObject(other) && !Array.isArray(one) && !Array.isArray(other)
    ? Object.fromEntries(
        [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [
          key,
          key in other ? merged(at(one, key), at(other, key)) : at(one, key)
        ])
      )
    : other

const at = (value: unknown, key: string): unknown => (Predicate.hasProperty(value, key) ? value[key] : undefined)

/** What stands on the machine beside the cluster: the simulated cloud, PostgreSQL, and a folder of the person who installs. */
const start = Effect.gen(function* () {
  const { address } = yield* Sandboxes
  const { ca, config, stored } = yield* RealCluster
  const home = yield* folder
  for (const name of ["deploy", "node_modules", "package.json"]) symlinkSync(join(repository, name), home.at(name))

  const cloud = yield* spawned({
    command: [process.execPath, yield* programOf("cloud")],
    settings: { CLOUD_PORT: "0", CLOUD_HOST: address }
  })
  const { url = "" } = yield* firstLine(cloud)
  const database = new URL(Redacted.value((yield* TestDatabase).url))
  const toDatabase = { host: database.hostname, port: Number(database.port) }
  database.port = String(yield* relay({ host: address, port: 0 }, () => toDatabase))
  database.hostname = address
  const customerPort = yield* freePort
  const settings: Readonly<Record<string, string>> = {
    ...gatewaySettings(url),
    DATABASE_URL: database.href,
    CUSTOMER_PUBLIC_URL: `https://127.0.0.1:${customerPort}`
  }

  /** The page's values, with the addresses of this cloud. */
  const values = examples
    .map((_) => (_.endsWith(".md") ? /^```yaml\n([^]*?)^```$/m.exec(textOf(_))?.[1] : textOf(_)))
    .map((_): unknown => parse(_ ?? ""))
    .reduce(merged, {})
  const given = Object.keys(Object(at(values, "settings"))).filter((_) => _ in settings)
  const write = (more: object = {}) =>
    home.write(
      "values.yaml",
      stringify(merged(merged(values, { settings: Object.fromEntries(given.map((_) => [_, settings[_]])) }), more))
    )
  write()

  const shell = (commands: string | undefined) =>
    Effect.scoped(
      Effect.gen(function* () {
        const run = yield* spawned({
          command: ["bash", "-c", `set -eu\n${commands ?? ""}`],
          cwd: home.path,
          group: true,
          settings: {
            PATH: `${charts}:${join(repository, "node_modules/.bin")}:${process.env["PATH"]}`,
            HOME: home.path,
            XDG_CONFIG_HOME: home.at(".config"),
            KUBECONFIG: config
          }
        })
        const code = yield* run.ended
        return { code, said: `${commands}\n${run.stdout()}${run.stderr()}`, out: run.stdout() }
      })
    )
  const done = Effect.fnUntraced(function* (commands: string | undefined) {
    const { code, out, said } = yield* shell(commands)
    assert.strictEqual(code, 0, said)
    return out
  })

  /** The commands of the page below a heading, with the values of this cloud in place of `...`. */
  const commands = (heading: string) => {
    const lines = textOf(page).split("\n")
    const from = lines.indexOf(`## ${heading}`)
    const to = lines.findIndex((line, index) => index > from && line.startsWith("## "))
    assert.isAbove(from, 0, heading)
    const blocks = shellBlocks(page).filter((_) => _.cluster && _.line > from && (to === -1 || _.line < to))
    assert.isAbove(blocks.length, 0, heading)
    return blocks.map((_) =>
      _.commands.replaceAll(/^([A-Z_]+)=.*\.\.\..*$/gm, (line, name: string) => `${name}=${settings[name] ?? line}`)
    )
  }

  /** The addresses behind a Service that its pods are ready at, as a kube-proxy learns them. */
  const behind = Effect.fnUntraced(function* (service: string) {
    const { items } = yield* stored(
      "endpointslices",
      "--namespace=portico",
      `--selector=kubernetes.io/service-name=${service}`
    )
    return slices(items)
  })

  return { behind, ca, commands, customerPort, done, home, settings, shell, stored, url, write }
})

interface Slice {
  readonly endpoints: ReadonlyArray<{
    readonly addresses: ReadonlyArray<string>
    readonly conditions: { readonly ready: boolean }
  }> | null
  readonly ports: ReadonlyArray<{ readonly port: number }>
}

const slices = (items: ReadonlyArray<Slice>) =>
  items.flatMap(({ endpoints, ports }) =>
    (endpoints ?? []).flatMap(({ addresses, conditions }) =>
      conditions.ready ? [{ host: addresses[0] ?? "", port: ports[0]?.port ?? 0 }] : []
    )
  )

class Stage extends Context.Service<Stage, Effect.Success<typeof start>>()("portico/gateway/test/Stage") {
  static readonly layer = Layer.effect(Stage, start).pipe(
    Layer.provideMerge(Node.layer),
    Layer.provideMerge(TestDatabase.layerEmpty)
  )
}

const fresh = new Agent({ connect: { rejectUnauthorized: false }, pipelining: 0 })

const ask = (url: string, token?: string, method = "GET", body?: unknown) =>
  Effect.tryPromise(async () => {
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    }
    const answer = await request(url, {
      method,
      headers,
      dispatcher: fresh,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: answer.statusCode, text: await answer.body.text() }
  })

/** An access token for a credential, as an OAuth client gets it. */
const tokenOf = Effect.fnUntraced(function* (id: string, secret: string) {
  const { url } = yield* Stage
  const scope = ["openid", projectsRolesScope, audienceScope(fixtures.idp.projectId)].join(" ")
  const { access_token } = yield* Effect.promise(async () => {
    const answer = await fetch(`${url}/idp/oauth/v2/token`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` },
      body: new URLSearchParams({ grant_type: "client_credentials", scope })
    })
    return JSON.parse(await answer.text())
  })
  return String(access_token)
})

/** Asks for /health as customers do through a Service, which learns of a pod that goes a moment later, until interrupted. */
const customers = Effect.gen(function* () {
  const { behind } = yield* Stage
  const answers = { good: 0, bad: Array<string>() }
  let places = yield* behind("portico-customer")
  const learn = Effect.gen(function* () {
    const now = yield* behind("portico-customer")
    yield* Effect.sleep("1 second")
    places = now
  })
  const call = Effect.gen(function* () {
    const place = places[answers.good % places.length]
    const answer = yield* Effect.result(ask(`https://${place?.host}:${place?.port}/health`))
    if (answer._tag === "Success" && answer.success.status === 200) answers.good++
    else answers.bad.push(JSON.stringify([place, answer]))
    yield* Effect.sleep("50 millis")
  })
  yield* Effect.forkScoped(Effect.forever(learn))
  yield* Effect.forkScoped(Effect.forever(call))
  return answers
})

const canRun = isHere && canIsolate && isInstalled("helm", "version")

describe.skipIf(!canRun)(
  canRun ? page : `${title(page)}: NOT RUN, IT NEEDS HELM, AND TO BE ROOT FOR NAMESPACES`,
  () => {
    if (!canRun) return
    layer(Stage.layer, { excludeTestServices: true })("on a real API server", (it) => {
      it.effect("leads from an empty cluster to ready pods, and a doctor without findings", () =>
        Effect.gen(function* () {
          const { behind, ca, commands, done, home } = yield* Stage
          yield* done(commands("The secret")[0])
          // The files that the page's values need, and a rule that the page speaks of.
          const { cert, key } = yield* certificateIn((_) => home.at(`api-${_}`))
          yield* done(`
          cp ${cert} api.crt
          cp ${key} api.key
          cp ${ca} ca.pem
          kubectl label namespace portico pod-security.kubernetes.io/enforce=restricted
          ${commands("The values")[0]}
          kubectl apply --server-side -f ${charts}/servicemonitors.yaml -f ${charts}/prometheusrules.yaml`)
          yield* (yield* RealCluster).established

          const all = "jobs.apart=true,cluster.enabled=true,monitoring.enabled=true,autoscaling.enabled=true"
          yield* done(`
          kubectl apply --dry-run=client -f deploy/manifests/portico.yaml
          ${commands("Without Helm")[0]}
          helm install portico ${chart} -n portico --dry-run=server --set ${all}`)

          const [install, look] = commands("Install")
          const said = yield* done(install)
          assert.include(said, "STATUS: deployed")
          assert.match(said, /Phase: +Succeeded/)
          assert.match(said, /^ok +kubernetes +Kubernetes answers, and has the rights for onboarding$/m)
          assert.match(said, /^0 failures, /m)
          const shown = yield* done(look)
          assert.lengthOf(shown.match(/^portico-\S+ +1\/1 +Running/gm) ?? [], 2, shown)
          assert.lengthOf(shown.match(/^\[pod\/portico-\w+-\w+\/doctor\] ok +database/gm) ?? [], 2, shown)
          assert.lengthOf(yield* behind("portico-customer"), 2)
        })
      )

      it.effect("leads on to a tenant that uses the API, and its namespace of the same cluster", () =>
        Effect.gen(function* () {
          const { behind, commands, customerPort, done, home, stored, url } = yield* Stage
          const [operators, customers] = yield* Effect.all([behind("portico-operator"), behind("portico-customer")])
          const port = yield* toOneOf(operators)
          const customerUrl = `https://127.0.0.1:${yield* toOneOf(customers, customerPort)}`
          const [first = "", second = ""] = commands("The first tenant")

          home.write("token", fixtures.idp.operatorToken, 0o600)
          // Port-forwarding is a part of the kubelet that the Node lacks: the plane is reached at its pod. And there is no
          // person with a browser.
          const onboarded = yield* done(
            first
              .replace(/^kubectl .* port-forward .*$/m, "")
              .replaceAll("127.0.0.1:8081", `127.0.0.1:${port}`)
              .replace(/(portico login \S+)/, "$1 --pat --secret-file token")
          )
          const clientId = /"client_id": "(.+)"/.exec(onboarded)?.[1] ?? assert.fail(onboarded)
          const projectId = /"project_id": "(.+)"/.exec(onboarded)?.[1] ?? assert.fail(onboarded)
          const metadata = yield* ask(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource`)
          assert.include(metadata.text, nativeClientId, "people cannot log in as the page says")

          // The identity provider speaks plain HTTP here, which the command line takes from its own machine alone.
          const { hostname, port: idp } = new URL(url)
          const issuer = `http://127.0.0.1:${yield* toOneOf([{ host: hostname, port: Number(idp) }])}/idp`
          const whoami = yield* done(
            second
              .replace(
                "https://api.cloud.example",
                `${customerUrl} --ca-file ${home.at("api-cert.pem")} --issuer ${issuer}`
              )
              .replace("<client_id>", clientId)
          )
          assert.include(whoami, projectId)

          const token = yield* tokenOf(clientId, readFileSync(home.at("initech.secret"), "utf8").trim())
          const namespace = `db-${projectId}`
          const maps = `${customerUrl}/v1/kubernetes/api/v1/namespaces/${namespace}/configmaps`
          const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "first" }, data: { color: "red" } }
          const made = yield* ask(maps, token, "POST", map)
          assert.strictEqual(made.status, 201, made.text)
          assert.deepStrictEqual((yield* stored("configmap", "first", `--namespace=${namespace}`)).data, map.data)
        })
      )

      it.effect("an upgrade that changes a setting and moves the jobs apart is invisible to customers", () =>
        Effect.gen(function* () {
          const { commands, done, stored, write } = yield* Stage
          const answers = yield* customers
          write({ settings: { RATE_LIMIT_RPM_DISCOVERY: 301 }, jobs: { apart: true } })
          yield* done(commands("Upgrade")[0])
          for (const [name, replicas] of [
            ["portico", 2],
            ["portico-jobs", 1]
          ] as const) {
            const { status } = yield* stored("deployment", name, "--namespace=portico")
            assert.deepInclude(status, { replicas, availableReplicas: replicas, updatedReplicas: replicas }, name)
          }
          yield* eventually(
            Effect.map(done("kubectl -n portico get pods"), (_) =>
              assert.lengthOf(_.match(/^portico-(jobs-)?\w+-\w+ /gm) ?? [], 3, _)
            )
          )
          assert.deepStrictEqual(answers.bad, [])
          assert.isAbove(answers.good, 20)
        }).pipe(Effect.scoped)
      )

      it.effect("a missing database keeps new pods from starting, and the page's commands show that", () =>
        Effect.gen(function* () {
          const { commands, done, settings, shell, write } = yield* Stage
          const answers = yield* customers
          const url = settings["DATABASE_URL"]?.replace(/[^/]+$/, "nowhere")
          yield* done(`kubectl -n portico create secret generic wrong --from-literal=DATABASE_URL=${url}`)
          write({ existingSecrets: ["portico", "wrong"] })
          const [upgrade = "", back = ""] = commands("Upgrade")
          const failed = yield* shell(upgrade.replace("--timeout 10m", "--timeout 15s"))
          assert.notStrictEqual(failed.code, 0, failed.said)
          yield* eventually(
            Effect.gen(function* () {
              const said = yield* done(commands("Install")[1])
              yield* Effect.try(() => {
                assert.match(said, /^portico-\S+ +0\/1 +Init:/m)
                assert.match(said, /^\[pod\/portico-\w+-\w+\/doctor\] FAILED +database +.*nowhere/m)
              })
            })
          )
          yield* done(back)
          assert.deepStrictEqual(answers.bad, [])
        }).pipe(Effect.scoped)
      )

      it.effect("an uninstalled release leaves only its test pod, which goes with the namespace", () =>
        Effect.gen(function* () {
          const { commands, done } = yield* Stage
          const [uninstall = "", remove = ""] = commands("Uninstall")[0]?.trim().split("\n") ?? []
          yield* done(uninstall)
          const kinds = (yield* done("kubectl api-resources --verbs=list -o name")).trim().replaceAll("\n", ",")
          const left = yield* eventually(
            Effect.tap(
              done(`kubectl get ${kinds} -A -l app.kubernetes.io/instance=portico -o name --ignore-not-found`),
              (_) => Effect.try(() => assert.strictEqual(_.trim(), "pod/portico-doctor"))
            )
          )
          assert.include(left, "pod")
          const secrets = yield* done("kubectl -n portico get secrets -o name")
          assert.notInclude(secrets, "helm.release")
          yield* done(remove)
          assert.notInclude(yield* done("kubectl get namespaces -o name"), "namespace/portico\n")
        })
      )
    })
  }
)

const toOneOf = ([place]: ReadonlyArray<{ readonly host: string; readonly port: number }>, port = 0) =>
  place === undefined ? Effect.die("no pod is ready") : relay({ host: "127.0.0.1", port }, () => place)

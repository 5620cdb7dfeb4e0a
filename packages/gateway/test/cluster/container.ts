import { Effect } from "effect"
import { chmodSync, mkdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { programOf } from "../processes/bundles.ts"
import { repository, spawned } from "../processes/children.ts"
import type { Container, Pod } from "./Pod.ts"

const dockerfile = readFileSync(join(repository, "docker/Dockerfile"), "utf8")
const lastStage = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "))

/** The image's environment, as its Dockerfile sets it, but for what names its own folders. */
const environment = Object.fromEntries(
  [...lastStage.matchAll(/^ENV (.+)$/gm)]
    .flatMap(([, line = ""]) => line.split(" "))
    .map((_) => _.split(/=(.*)/s))
    .map(([name = "", value = ""]) => [name, value] as const)
    .filter(([name]) => !["PATH", "CONSOLE_DIR", "NODE_COMPILE_CACHE", "NODE_COMPILE_CACHE_PORTABLE"].includes(name))
)

/** What a pod's process has compiled, the next ones need not. In the image it is there. */
const compiled = join(repository, "node_modules/.cache/pods")

const entryPoint: ReadonlyArray<string> = JSON.parse(/^ENTRYPOINT (.+)$/m.exec(lastStage)?.[1] ?? "[]")
const bundle = "packages/gateway/dist/main.mjs"

/**
 * Makes what the image's file system is to a process, from the folders of this machine, and runs the process in it: as
 * the pod's user, without a capability. Volumes are mounted where the pod says. Only this process sees the mounts.
 */
const script = `
set -e
root=$1 node=$2 uid=$3 gid=$4 writable=$5 host=$6 count=$7; shift 7
mount -t tmpfs tmpfs "$root"
cd "$root"
mkdir usr proc dev etc image portico
for name in bin sbin lib lib64; do
  if [ -L /$name ]; then cp -P /$name .; elif [ -d /$name ]; then mkdir $name; mount --rbind /$name $name; fi
done
for name in usr proc dev; do mount --rbind /$name $name; done
mount --bind "$OLDPWD" portico && mount -o remount,bind,ro portico
touch image/node && mount --bind "$node" image/node
mkdir image/compiled && mount --bind "$OLDPWD/node_modules/.cache/pods" image/compiled
cp /etc/ld.so.cache etc 2>/dev/null || true
printf '127.0.0.1 localhost\\n%s kubernetes.default.svc\\n' "$host" >etc/hosts
while [ "$count" -gt 0 ]; do
  mkdir -p ".$2" && mount --bind "$1" ".$2"
  [ "$3" = rw ] || mount -o remount,bind,ro ".$2"
  count=$((count - 1)); shift 3
done
[ "$writable" = true ] || mount -o remount,ro .
exec chroot . /usr/bin/env -C /portico PATH=/image:/usr/bin HOME=/ setpriv --reuid="$uid" --regid="$gid" --clear-groups \\
  --bounding-set=-all --inh-caps=-all --no-new-privs -- "$@"
`

export interface Surroundings {
  readonly pod: Pod
  /** Its namespace of the network. */
  readonly network: string
  /** An empty folder. */
  readonly root: string
  /** The address of this machine, where the API server is. */
  readonly host: string
  readonly settings: Readonly<Record<string, string>>
  /** The folder of each volume by its name. */
  readonly volumes: ReadonlyMap<string, string>
}

/** Starts a container's process, or another one beside it. */
export const started = Effect.fnUntraced(function* (
  container: Container,
  { host, network, pod, root, settings, volumes }: Surroundings,
  command: ReadonlyArray<string> = [...(container.command ?? entryPoint), ...(container.args ?? [])]
) {
  const program = yield* programOf("gateway")
  // The pod's user reads it, as all of the image.
  chmodSync(dirname(program), 0o755)
  mkdirSync(compiled, { recursive: true })
  chmodSync(compiled, 0o777)
  const gateway = program.replace(repository, "/portico")
  const { runAsGroup = 0, runAsUser = 0 } = pod.spec.securityContext
  const mounts = (container.volumeMounts ?? []).flatMap(({ mountPath, name, readOnly }) => [
    volumes.get(name) ?? "",
    mountPath,
    readOnly === true ? "ro" : "rw"
  ])
  const writable = container.securityContext?.readOnlyRootFilesystem !== true
  return yield* spawned({
    command: [
      "ip",
      "netns",
      "exec",
      network,
      "sh",
      "-c",
      script,
      "sh",
      ...[root, process.execPath, runAsUser, runAsGroup, writable, host, mounts.length / 3].map(String),
      ...mounts,
      ...command.map((_) => (_ === bundle ? gateway : _))
    ],
    settings: { ...environment, NODE_COMPILE_CACHE: "/image/compiled", ...settings },
    group: true
  })
})

import { Effect } from "effect"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { certificateIn, execute } from "../harness/Tls.ts"
import { freePort } from "../limits/redis.ts"
import { folder, isInstalled, serving } from "./parts.ts"

/** Exim gives up root for its own user, so root has to start it. */
export const isHere = process.getuid?.() === 0 && isInstalled("exim4", "--version")

/** A login of the mail server. */
export interface Account {
  readonly user: string
  readonly password: string
}

const login: Account = { user: "gateway", password: "a-password-of-mail" }

/** The largest letter that it takes. */
export const largest = 20_000

/**
 * A submission server: STARTTLS, and a login within it. It knows no `gone@…`, and takes letters for `later@…` once its
 * greylist is open. All others end up in one folder.
 */
const configuration = (path: string, port: number, files: { readonly cert: string; readonly key: string }) => `
primary_hostname = mail.example
spool_directory = ${path}/spool
log_file_path = ${path}/log/%slog
daemon_smtp_ports = ${port}
local_interfaces = 127.0.0.1
tls_advertise_hosts = *
tls_certificate = ${files.cert}
tls_privatekey = ${files.key}
message_size_limit = ${largest}
acl_smtp_rcpt = recipient
acl_smtp_data = accept
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =

begin acl
recipient:
  deny !authenticated = *
    message = relay not permitted
  deny local_parts = gone
    message = no such user here
  defer local_parts = later
    condition = \${if exists{${path}/open}{no}{yes}}
    message = greylisted, try again later
  accept

begin routers
everybody:
  driver = accept
  transport = folder

begin transports
folder:
  driver = appendfile
  directory = ${path}/mail
  maildir_format
  envelope_to_add
  return_path_add
  user = Debian-exim

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_advertise_condition = \${if def:tls_in_cipher}
  server_condition = \${if eq{$auth3}{\${lookup{$auth2}lsearch{${path}/accounts}{$value}fail}}}
  server_set_id = $auth2
`

/** A letter in a mailbox. */
export interface Delivered {
  /** Of its envelope. */
  readonly to: string
  readonly from: string
  header(name: string): string
  readonly text: string
}

const read = (raw: string): Delivered => {
  const [head = "", ...rest] = raw.split("\n\n")
  const headers = head.replaceAll(/\n[ \t]+/g, " ").split("\n")
  const header = (name: string) =>
    headers.find((_) => _.toLowerCase().startsWith(`${name.toLowerCase()}: `))?.slice(name.length + 2) ?? ""
  return {
    to: header("Envelope-to"),
    from: header("Return-path"),
    header,
    text: decoded(header("Content-Transfer-Encoding"), rest.join("\n\n"))
  }
}

const decoded = (encoding: string, body: string): string => {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8")
  if (encoding !== "quoted-printable") return body
  const bytes = body
    .replaceAll("=\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
  return Buffer.from(bytes, "latin1").toString("utf8")
}

const greets = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("data", (text: Buffer) => {
      socket.destroy()
      resume(Effect.succeed(text.toString().startsWith("220 ")))
    })
    socket.once("error", () => resume(Effect.succeed(false)))
  })

/** A real mail server for as long as the scope. */
export const exim = Effect.gen(function* () {
  const { at, path, write } = yield* folder
  const port = yield* freePort
  const files = yield* certificateIn(at)
  for (const name of ["spool", "log", "mail"]) mkdirSync(at(name))
  // Looked up at each login.
  const accounts = (all: ReadonlyArray<Account>) =>
    write("accounts", all.map(({ password, user }) => `${user}: ${password}\n`).join(""))
  accounts([login])
  const file = write("exim.conf", configuration(path, port, files))
  yield* execute("chown", ["-R", "Debian-exim:", path])
  yield* execute("chown", ["root:", file])
  yield* serving(["exim4", "-C", file, "-bdf"], () => greets(port))
  const box = join(at("mail"), "new")
  return {
    ca: files.cert,
    port,
    url: `smtp://${login.user}:${login.password}@127.0.0.1:${port}`,
    urlOf: ({ password, user }: Account) => `smtp://${user}:${password}@127.0.0.1:${port}`,
    /** From now on these logins are accepted, and no others. */
    accept: (...all: ReadonlyArray<Account>) => Effect.sync(() => void accounts(all)),
    /** In no order. */
    delivered: Effect.sync((): ReadonlyArray<Delivered> =>
      existsSync(box) ? readdirSync(box).map((_) => read(readFileSync(join(box, _), "utf8"))) : []
    ),
    openGreylist: Effect.sync(() => writeFileSync(at("open"), "")),
    closeGreylist: Effect.sync(() => rmSync(at("open")))
  }
})

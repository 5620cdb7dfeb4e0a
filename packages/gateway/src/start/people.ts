import { Effect, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { CannotStart } from "../launch.ts"
import type { DevFile } from "./DevFile.ts"

interface Person {
  readonly email: string
  readonly display_name: string
  readonly role: string
}

/** Beside the owner: those who can log in to try out other roles. */
const members: ReadonlyArray<Person> = [
  { email: "engineer@acme.example", display_name: "Emil Engineer", role: "customer-engineer" },
  { email: "viewer@acme.example", display_name: "Vera Viewer", role: "customer-viewer" }
]

const operator: Person = { email: "operator@portico.example", display_name: "Otto Operator", role: "admin" }

const Login = Schema.Struct({ email: Schema.String, user_id: Schema.String, state: Schema.String })
const Users = Schema.Struct({ users: Schema.Array(Login) })

/**
 * People who can log in with a browser: an operator, and members of the first tenant, of whom none but its owner sees
 * costs. They are invited as everybody is, once, and follow the link of the mail at once.
 */
export const demoPeople = (dev: DevFile) =>
  Effect.gen(function* () {
    yield* invited(dev, { url: dev.operator_url, token: dev.operator.token, scope: "platform" }, [operator])
    const [first] = dev.tenants
    if (first !== undefined) {
      yield* invited(dev, { url: dev.customer_url, token: first.tokens.owner, scope: "tenant" }, members)
    }
  }).pipe(
    Effect.mapError(
      (error) => new CannotStart({ message: `The people of the demo cannot be made: ${String(error.message)}` })
    )
  )

interface Plane {
  readonly url: string
  readonly token: string
  readonly scope: string
}

const invited = Effect.fnUntraced(function* (
  { auth_url }: DevFile,
  { scope, token, url }: Plane,
  people: ReadonlyArray<Person>
) {
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const { users } = yield* HttpClientRequest.get(`${url}/v1/org/users?scope=${scope}&limit=200`).pipe(
    HttpClientRequest.bearerToken(token),
    client.execute,
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Users))
  )
  const invite = (person: Person) =>
    HttpClientRequest.post(`${url}/v1/org/users/invite`).pipe(
      HttpClientRequest.bearerToken(token),
      HttpClientRequest.bodyJsonUnsafe(person),
      client.execute,
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Login))
    )
  for (const person of people) {
    const known = users.find((_) => _.email === person.email)
    // An earlier start may have been killed between the two steps.
    const { state, user_id } = known ?? (yield* invite(person))
    if (state !== "USER_STATE_INITIAL") continue
    yield* HttpClientRequest.post(`${auth_url}/ui/login/user/init`).pipe(
      HttpClientRequest.setBody(HttpBody.urlParams({ userID: user_id, password: "demo-password" })),
      client.execute
    )
  }
})

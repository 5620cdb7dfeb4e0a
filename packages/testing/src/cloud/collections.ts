import { memoryUrl } from "@portico/simulator/transport"
import { type Answer, type Company, empty, type Handler, type Incoming, json } from "@portico/simulator/Wire"
import { Predicate } from "effect"

/** Where a gateway over the cloud in memory finds an upstream of the company. It is the value of that client's URL setting. */
export const companyUrl = (name: string): string => `${memoryUrl}/company/${name}`

/** How an upstream treats one kind of resource. */
interface Collection {
  /** The property by which a resource is known. A second resource with the same value is a 409. */
  readonly unique?: string
}

/**
 * An upstream of the company that keeps JSON resources of some kinds:
 *
 * - `POST /<kind>`: 201 and the resource with its `id`, or 409 when its unique property is taken
 * - `GET /<kind>?<property>=<value>`: `{"<kind>": [...]}`, the resources with all of these properties
 * - `GET /<kind>/:id`, `PATCH /<kind>/:id`: the resource, changed or not
 * - `DELETE /<kind>/:id`: 204
 *
 * An unknown id is a 404, a body that is no JSON object a 400. An upstream that
 * speaks otherwise has routes of its own beside these or instead of them.
 */
export const collections = (kinds: Readonly<Record<string, Collection>>): Company[string] => {
  const made = Object.entries(kinds).map(([kind, options]) => [kind, collection(kind, options)] as const)
  return {
    state: Object.fromEntries(made.map(([kind, { resources }]) => [kind, resources])),
    routes: Object.assign({}, ...made.map(([, { routes }]) => routes))
  }
}

type Resource = Readonly<Record<string, unknown>>

const collection = (kind: string, { unique }: Collection) => {
  const resources: Record<string, Resource> = {}
  let last = 0

  const withId =
    (answer: (found: Resource, incoming: Incoming, id: string) => Answer): Handler =>
    (incoming) => {
      const id = incoming.params["id"] ?? ""
      const found = resources[id]
      return found === undefined
        ? json(404, { message: `There is no ${id} among the ${kind}` })
        : answer(found, incoming, id)
    }

  /** Stores the resource, unless another one has its unique property. */
  const put = (status: number, id: string, resource: Resource): Answer => {
    const taken =
      unique !== undefined &&
      Object.entries(resources).some(([other, _]) => other !== id && _[unique] === resource[unique])
    if (taken) return json(409, { message: `There is a '${String(resource[unique])}' among the ${kind}` })
    resources[id] = resource
    return json(status, resource)
  }

  const routes: Readonly<Record<string, Handler>> = {
    [`POST /${kind}`]: ({ json: body }) => {
      if (!Predicate.isReadonlyObject(body)) return notAnObject
      const id = `${kind}-${(last += 1)}`
      return put(201, id, { ...body, id })
    },
    [`GET /${kind}`]: ({ query }) =>
      json(200, {
        [kind]: Object.values(resources).filter((_) => [...query].every(([name, value]) => String(_[name]) === value))
      }),
    [`GET /${kind}/:id`]: withId((found) => json(200, found)),
    [`PATCH /${kind}/:id`]: withId((found, { json: body }, id) =>
      Predicate.isReadonlyObject(body) ? put(200, id, { ...found, ...body, id }) : notAnObject
    ),
    [`DELETE /${kind}/:id`]: withId((_, _incoming, id) => {
      delete resources[id]
      return empty(204)
    })
  }
  return { resources, routes }
}

const notAnObject = json(400, { message: "The body is not a JSON object" })

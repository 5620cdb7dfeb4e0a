import { type KindOf, asked, get, post, put, remove } from "./Kind.ts"
import type { Belongings } from "./Belongings.ts"

const root = "/load-balancer/lbaas"

const kind =
  (
    list: (a: Belongings) => string,
    envelope: string,
    id: (a: Belongings) => string,
    create?: (a: Belongings, b: Belongings) => object
  ): KindOf =>
  (a, b) => {
    const path = `${root}/${list(a)}`
    const one = `${path}/${id(a)}`
    // A list below a parent is its own try.
    const nested = list(a).includes("/")
    return {
      one,
      owned: [one, path],
      lists: nested ? [] : asked(path, a, `id=${id(a)}`, `tenant_id=${a.projectId}`),
      tries: [
        ...(nested ? [get(path, 404)] : []),
        get(one, 404),
        put(one, 404, { [envelope]: { admin_state_up: false } }),
        remove(one, 404),
        ...(create === undefined
          ? []
          : [post(path, nested ? 404 : 403, { [envelope]: create(a, b) }, nested ? {} : { tells: true })])
      ]
    }
  }

const balancers: KindOf = (a, b) => {
  const of = kind(
    () => "loadbalancers",
    "loadbalancer",
    (_) => _.balancer
  )(a, b)
  const one = `${root}/loadbalancers/${a.balancer}`
  return {
    ...of,
    tries: [
      ...of.tries,
      get(`${one}/status`, 404),
      get(`${one}/stats`, 404),
      put(`${one}/failover`, 404),
      remove(`${one}?cascade=true`, 404),
      post(`${root}/loadbalancers`, 403, {
        loadbalancer: { name: "planted", vip_subnet_id: b.subnet, project_id: a.projectId }
      }),
      post(`${root}/loadbalancers`, 403, {
        loadbalancer: { name: "planted", vip_subnet_id: b.subnet, tenant_id: a.projectId }
      })
    ]
  }
}

const quotas: KindOf = (a) => {
  const one = `${root}/quotas/${a.projectId}`
  return {
    owned: [one],
    lists: asked(`${root}/quotas`, a).filter((_) => !_.includes("?name=")),
    tries: [get(one, 403), get(`${one}/default`, 403), put(one, 403, { quota: { loadbalancer: 0 } }), remove(one, 403)]
  }
}

export const balancing = {
  "load balancers": balancers,
  listeners: kind(
    () => "listeners",
    "listener",
    (_) => _.listener,
    (a) => ({
      loadbalancer_id: a.balancer,
      protocol: "HTTP",
      protocol_port: 81
    })
  ),
  pools: kind(
    () => "pools",
    "pool",
    (_) => _.pool,
    (a) => ({
      loadbalancer_id: a.balancer,
      protocol: "HTTP",
      lb_algorithm: "ROUND_ROBIN"
    })
  ),
  members: kind(
    (_) => `pools/${_.pool}/members`,
    "member",
    (_) => _.member,
    () => ({
      address: "10.0.0.66",
      protocol_port: 80
    })
  ),
  "health monitors": kind(
    () => "healthmonitors",
    "healthmonitor",
    (_) => _.monitor
  ),
  "l7 policies": kind(
    () => "l7policies",
    "l7policy",
    (_) => _.l7policy,
    (a) => ({
      listener_id: a.listener,
      action: "REJECT"
    })
  ),
  "l7 rules": kind(
    (_) => `l7policies/${_.l7policy}/rules`,
    "rule",
    (_) => _.l7rule,
    () => ({
      type: "PATH",
      compare_type: "STARTS_WITH",
      value: "/taken"
    })
  ),
  quotas
}

import { Schema } from "effect"

// What the Node reads of a pod. Other fields are left alone, and so are those that say how much a pod may use.

const { optionalKey, String: Text, Number: Count, Array: List } = Schema

const Http = Schema.Struct({
  path: Text,
  port: Schema.Union([Text, Count]),
  scheme: optionalKey(Text)
})

const Probe = Schema.Struct({
  httpGet: Http,
  periodSeconds: Count,
  failureThreshold: Count,
  timeoutSeconds: Count
})

const Reference = Schema.Struct({ name: Text })

export const Container = Schema.Struct({
  name: Text,
  image: Text,
  command: optionalKey(List(Text)),
  args: optionalKey(List(Text)),
  env: optionalKey(List(Schema.Struct({ name: Text, value: Text }))),
  envFrom: optionalKey(
    List(Schema.Struct({ configMapRef: optionalKey(Reference), secretRef: optionalKey(Reference) }))
  ),
  ports: optionalKey(List(Schema.Struct({ name: Text, containerPort: Count }))),
  volumeMounts: optionalKey(
    List(Schema.Struct({ name: Text, mountPath: Text, readOnly: optionalKey(Schema.Boolean) }))
  ),
  startupProbe: optionalKey(Probe),
  readinessProbe: optionalKey(Probe),
  lifecycle: optionalKey(Schema.Struct({ preStop: Schema.Struct({ exec: Schema.Struct({ command: List(Text) }) }) })),
  securityContext: optionalKey(Schema.Struct({ readOnlyRootFilesystem: optionalKey(Schema.Boolean) }))
})

export type Container = typeof Container.Type

const Source = Schema.Struct({
  serviceAccountToken: optionalKey(Schema.Struct({ path: Text, expirationSeconds: Count })),
  configMap: optionalKey(Reference),
  downwardAPI: optionalKey(Schema.Unknown)
})

export const Volume = Schema.Struct({
  name: Text,
  emptyDir: optionalKey(Schema.Unknown),
  secret: optionalKey(Schema.Struct({ secretName: Text })),
  configMap: optionalKey(Reference),
  projected: optionalKey(Schema.Struct({ sources: List(Source) }))
})

export type Volume = typeof Volume.Type

export const Pod = Schema.Struct({
  metadata: Schema.Struct({
    name: Text,
    namespace: Text,
    uid: Text,
    deletionTimestamp: optionalKey(Text),
    deletionGracePeriodSeconds: optionalKey(Count)
  }),
  spec: Schema.Struct({
    restartPolicy: Text,
    serviceAccountName: Text,
    securityContext: Schema.Struct({
      runAsUser: optionalKey(Count),
      runAsGroup: optionalKey(Count),
      fsGroup: optionalKey(Count)
    }),
    terminationGracePeriodSeconds: Count,
    initContainers: optionalKey(List(Container)),
    containers: List(Container),
    volumes: optionalKey(List(Volume))
  })
})

export type Pod = typeof Pod.Type

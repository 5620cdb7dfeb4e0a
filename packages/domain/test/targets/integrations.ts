import type { IntegrationCreate } from "@portico/contract/Integrations"
import { allSenders } from "@portico/domain/deliveries/layer"
import { DeliveryCounts } from "@portico/domain/deliveries/DeliveryCounts"
import { DeliverySettings } from "@portico/domain/deliveries/DeliverySettings"
import { Dispatcher } from "@portico/domain/deliveries/Dispatcher"
import { TargetSecrets } from "@portico/domain/deliveries/TargetSecrets"
import { Tail } from "@portico/domain/events/Tail"
import { MailLimits } from "@portico/domain/MailLimits"
import { integrations } from "@portico/domain/targets/integrations"
import { Connector, type NotPosted, type Post } from "@portico/upstream/delivery/Connector"
import { Guard } from "@portico/upstream/delivery/Guard"
import { type Letter, Mail, type Mailed } from "@portico/upstream/mail/Mail"
import type { NotMailed } from "@portico/upstream/mail/NotMailed"
import { ConfigProvider, Context, Effect, Layer } from "effect"
import { callerOf } from "@portico/testing/tenants/caller"

/** What the outside world has got, and how it answers. */
export class Outside extends Context.Service<
  Outside,
  {
    readonly letters: Array<Letter>
    readonly posts: Array<Post & { readonly url: string }>
    mails: (letter: Letter) => Effect.Effect<Mailed, NotMailed>
    answers: (url: string) => Effect.Effect<number, NotPosted>
  }
>()("portico/domain/test/Outside") {}

/** Every letter is taken for everybody. */
export const taken = ({ to }: Letter): Effect.Effect<Mailed> =>
  Effect.succeed({ accepted: to, refused: [], deferred: [] })

const outside = Layer.sync(Outside, () =>
  Outside.of({ letters: [], posts: [], mails: taken, answers: () => Effect.succeed(200) })
)

const mail = Layer.effect(
  Mail,
  Effect.map(Outside, (_) =>
    Mail.of({
      post: {
        send: (letter) =>
          Effect.andThen(
            Effect.sync(() => _.letters.push(letter)),
            _.mails(letter)
          )
      }
    })
  )
)

const connector = Layer.effect(
  Connector,
  Effect.map(Outside, (_) =>
    Connector.of({
      post: (url, post) =>
        Effect.andThen(
          Effect.sync(() => _.posts.push({ url, ...post })),
          Effect.suspend(() => _.answers(url))
        )
    })
  )
)

const settings = {
  TENANT_PASSWORD_KEY: "a secret of the platform",
  MAIL_PER_HOUR: "3",
  MAIL_CONFIRMATIONS_PER_HOUR: "4"
}

/** Whatever integrations need, over an outside world in memory. */
const layerOver = <E, R>(mail: Layer.Layer<Mail, E, R>) =>
  Dispatcher.layer.pipe(
    Layer.provideMerge(allSenders),
    Layer.provideMerge(
      Layer.mergeAll(
        mail,
        connector,
        Guard.layer,
        TargetSecrets.layer,
        DeliveryCounts.layer,
        // Not the one of the simulation, which has other settings.
        Layer.fresh(MailLimits.layer),
        Tail.layer
      )
    ),
    Layer.provideMerge(Layer.merge(DeliverySettings.layer, outside)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
  )

export const integrating = layerOver(mail)

/** The same without a mail server. */
export const mailless = layerOver(Mail.none)

/** Public addresses, so that no name has to be looked up. */
export const slackUrl = "https://93.184.215.14/services/T000/B000/secretOfTheChannel"
export const genericUrl = "https://93.184.215.14/hooks/in?token=secretOfTheQuery"

export const integrationOf = (projectId: string, request: IntegrationCreate) =>
  integrations.create(callerOf(projectId), projectId, request)

/** The code in the newest letter to an address. */
export const codeFor = Effect.fnUntraced(function* (address: string) {
  const { letters } = yield* Outside
  const letter = letters.findLast((_) => _.to.includes(address) && _.subject.startsWith("Confirm"))
  return /"code": "([^"]+)"/.exec(letter?.text ?? "")?.[1] ?? (yield* Effect.die(`${address} was asked nothing`))
})

/** An e-mail integration whose addresses have all agreed. */
export const agreedMail = Effect.fnUntraced(function* (projectId: string, to: ReadonlyArray<string>) {
  const { integration_id } = yield* integrationOf(projectId, { kind: "email", name: "on call", to })
  for (const address of to) yield* integrations.confirm(projectId, integration_id, { code: yield* codeFor(address) })
  const { letters } = yield* Outside
  letters.length = 0
  return integration_id
})

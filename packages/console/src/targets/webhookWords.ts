import { wordsOf } from "../words/words.ts"

export const words = wordsOf(
  {
    one: "Webhook",
    title: "Webhooks",
    about: "Addresses that get signed events as they happen. A receiver that fails for a day is disabled.",
    create: "Create a webhook",
    none: "No webhooks yet",
    noneText: "Name an https:// address of yours: every event arrives there as a signed POST.",
    rotate: "Rotate the secret",
    rotateText: "For a day the previous secret signs too, so that receivers can be changed meanwhile.",
    previous: "Previous secret signs until",
    changed: "The webhook is changed.",
    removeText: "The webhook and its pending deliveries are gone. The events stay in the list of events.",
    removed: "The webhook is deleted.",
    facts: "The webhook"
  },
  {
    one: "Webhook",
    title: "Webhooks",
    about:
      "Adressen, die signierte Ereignisse sofort erhalten. Ein Empfänger, der einen Tag lang versagt, wird abgeschaltet.",
    create: "Webhook anlegen",
    none: "Noch keine Webhooks",
    noneText: "Nennen Sie eine eigene https://-Adresse: Jedes Ereignis kommt dort als signierter POST an.",
    rotate: "Geheimnis erneuern",
    rotateText: "Einen Tag lang signiert das vorige Geheimnis mit, damit Empfänger umgestellt werden können.",
    previous: "Voriges Geheimnis signiert bis",
    changed: "Der Webhook ist geändert.",
    removeText:
      "Der Webhook und seine wartenden Zustellungen sind weg. Die Ereignisse bleiben in der Liste der Ereignisse.",
    removed: "Der Webhook ist gelöscht.",
    facts: "Der Webhook"
  }
)

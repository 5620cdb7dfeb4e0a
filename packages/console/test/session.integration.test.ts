import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("signing in to the console", (browser) => {
  const demo = demoOf()

  test("is kept over a reload and in a second window, and ends in both", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.page.reload()
    await olivia.sees("demo tier 0")
    const second = await olivia.anotherWindow("/credentials")
    await second.sees("demo tier 0")
    await second.choose("You", "Sign out")
    await second.sees("Sign in with your account")
    await olivia.sees("Your session has ended")
    await olivia.page.reload()
    await olivia.sees("Sign in with your account")
  })

  test("is the same in ten windows that are opened and reloaded at once", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    const others = await Promise.all(Array.from({ length: 9 }, () => olivia.anotherWindow("/credentials")))
    const all = [olivia, ...others]
    const tokens = new Set<string>()
    const refused: Array<string> = []
    for (const { page } of all) {
      page.on("request", (_) => void tokens.add(_.headers()["authorization"] ?? ""))
      page.on("response", (_) => void (_.status() === 401 && refused.push(_.url())))
    }
    await Promise.all(all.map(({ page }) => page.reload()))
    for (const one of all) await one.sees("demo tier 0")
    tokens.delete("")
    assert.lengthOf([...tokens], 1)
    assert.deepStrictEqual(refused, [])
  })

  test("ends, rather than showing no access, when the gateway refuses its tokens", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.page.setRequestInterception(true)
    olivia.page.on("request", (_) => {
      const headers = { ..._.headers(), ...(_.url().includes("/v1/") ? { authorization: "Bearer of-nobody" } : {}) }
      void _.continue({ headers })
    })
    await olivia.page.reload()
    await olivia.sees("Your session has ended")
    assert.notInclude(await olivia.text(), "no access")
  })

  test("resumes at the same page after a new sign-in", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials?kind=api-key")
    const second = await olivia.anotherWindow("/credentials")
    await second.sees("demo tier 0")
    await second.choose("You", "Sign out")
    await olivia.sees("Your session has ended")
    await olivia.signIn("owner")
    await olivia.sees("demo tier 0")
    await olivia.isAt("/credentials?kind=api-key")
  })

  test("shows nothing of one person in the name of another", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    const vera = await olivia.anotherWindow("/credentials")
    await vera.choose("You", "Sign in as somebody else")
    await vera.choosePerson("viewer")
    await vera.sees("demo tier 0")
    await olivia.page.waitForFunction(() =>
      performance.getEntriesByType("navigation").some((_) => _.toJSON().type === "reload")
    )
    await olivia.sees("demo tier 0")
    await olivia.click("You")
    await olivia.sees("viewer@acme.example")
    olivia.hasNoFaults()
  })

  test("ends at the identity provider too, which would let the next person in without a question", async () => {
    const place = await demo()
    const olivia = await Person.as("owner", await browser(), place, "/credentials")
    await olivia.sees("demo tier 0")
    const asked: Array<URL> = []
    olivia.page.on("request", (_) => asked.push(new URL(_.url())))
    await olivia.choose("You", "Sign out")
    await olivia.sees("Sign in with your account")
    const end = asked.find((_) => _.pathname.endsWith("/end_session"))
    assert.strictEqual(end?.searchParams.get("post_logout_redirect_uri"), `${place.console()}/`)
    await olivia.isAt("/")
  })

  test("stays and says so when the sign-out does not reach the gateway", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    const second = await olivia.anotherWindow("/credentials")
    await second.sees("demo tier 0")
    await olivia.page.setRequestInterception(true)
    olivia.page.on("request", (_) => void (_.method() === "DELETE" ? _.abort() : _.continue()))
    await olivia.choose("You", "Sign out")
    await olivia.sees("You are still signed in")
    await olivia.isAt("/credentials")
    assert.notInclude(await second.text(), "Your session has ended")
  })

  test("shows nothing when a person goes back after signing out", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.choose("You", "Sign out")
    await olivia.sees("Sign in with your account")
    await olivia.page.goBack()
    await olivia.sees("Sign in with your account")
    assert.notInclude(await olivia.text(), "demo tier 0")
  })

  test("shows the gateway's message when a code is refused", async () => {
    const place = await demo()
    const olivia = await Person.at(await browser(), place)
    await olivia.open("/")
    await olivia.page.setRequestInterception(true)
    olivia.page.on("request", (_) => {
      const isLogin = _.method() === "POST" && _.url().endsWith("/console/session")
      void _.continue(isLogin ? { postData: (_.postData() ?? "").replace(/"code":"[^"]*"/, '"code":"stolen"') } : {})
    })
    await olivia.signIn("owner")
    await olivia.sees("You were not signed in: The identity provider refused the login: sign in again")
    await olivia.isAt("/")
  })

  test("explains to a person without access that the account has none", async () => {
    const otto = await Person.at(await browser(), await demo(), "operator")
    await otto.open("/")
    await otto.signIn("engineer")
    await otto.sees("This account has no access here")
    otto.hasNoFaults()
  })
})
